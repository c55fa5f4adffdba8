package calculator

import "strings"

// style is how numbers are written: with a comma or a point before the fraction.
type style struct{ comma bool }

// group is the sign between thousands.
func (s style) group() rune {
	if s.comma {
		return '.'
	}
	return ','
}

// commaLanguages are the languages whose numbers have a decimal comma, by CLDR.
const commaLanguages = " af az be bg bs ca cs da de el es et eu fi fo fr fy gl hr hu hy id is it ka kk ky lb lt lv mk mn nb nl nn no pl ps pt ro ru sk sl sq sr sv tg tr tt uk uz vi wo "

// pointRegions are regions that write a point although their language does not.
const pointRegions = " es_MX es_US es_DO es_GT es_HN es_NI es_PA es_PE es_PR es_SV de_CH de_LI it_CH fr_CH "

// localeFrom is the locale that numbers go by, as far as a child is told: the
// host hands no LC_NUMERIC down.
func localeFrom(getenv func(string) string) string {
	for _, key := range []string{"LC_ALL", "LANG"} {
		if v := getenv(key); v != "" {
			return v
		}
	}
	return ""
}

// styleOf follows the config key `decimal` (comma, point or auto) and else the locale.
func styleOf(configured, locale string) style {
	switch configured {
	case "comma":
		return style{comma: true}
	case "point":
		return style{}
	}
	name, _, _ := strings.Cut(locale, ".")
	name, _, _ = strings.Cut(name, "@")
	language, _, _ := strings.Cut(name, "_")
	if strings.Contains(pointRegions, " "+name+" ") {
		return style{}
	}
	return style{comma: strings.Contains(commaLanguages, " "+language+" ")}
}
