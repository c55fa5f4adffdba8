"""Plays the host to the plugin. Run: python3 -B -m unittest"""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.plugin = subprocess.Popen([sys.executable, "-B", "./@ID@"], cwd=HERE, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE,
                                       env={**os.environ, "FLASH_PLUGIN_CONFIG": '{"names":["Ada"]}'})
        self.addCleanup(self.end)
        self.assertTrue(self.call(1, "initialize", protocol_version=1)["ok"])

    def end(self):
        self.plugin.stdin.close()
        self.assertEqual(0, self.plugin.wait(10))
        self.plugin.stdout.close()

    def read(self):
        return json.loads(self.plugin.stdout.readline())

    def call(self, number, method, **params):
        frame = json.dumps({"id": number, "method": method, "params": params})
        self.plugin.stdin.write(frame.encode() + b"\n")
        self.plugin.stdin.flush()
        while True:
            frame = self.read()
            if frame.get("id") == number:
                return frame["result"]

    def test_it_publishes_its_rows(self):
        rows = self.read()["params"]["rows"]
        self.assertEqual(["Hello from Ada"], [row["title"] for row in rows])

    def test_it_answers_what_is_typed(self):
        result = self.call(2, "evaluate", query="@ID@ you", scope="", surface="flashlight")
        self.assertEqual(["Hello you"], [answer["title"] for answer in result["answers"]])

    def test_it_has_a_command(self):
        result = self.call(2, "perform", kind="command", command="@ID@", subcommand="say", args=["there"], raw="")
        self.assertEqual({"ok": True, "message": "Hello there"}, result)


if __name__ == "__main__":
    unittest.main()
