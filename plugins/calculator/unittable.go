package calculator

// unitTable is every unit, a line each, below its dimension. A line holds the
// factor to the dimension's first unit, exact by definition ("≈": rounded), as a
// decimal or a quotient of two; for a temperature the zero's distance from
// absolute zero in its own degrees; then the symbol that results show, and what
// else the unit is called. Plurals in -s and -es are understood.
//
// Behind a symbol, * lets it take the SI's prefixes and behind a name ~ does,
// as % and & do for data, which have kibi and none below one. b takes only
// capital ones, since mb, gb and kb are what bytes are called in a hurry; Mb and
// Mbps are bits. Symbols are read as they are written if they can be (Mm is not
// mm) and then in any case: there MM is mm, with g, l and s alike, and mhz is MHz.
//
// It is a text that is searched and not a map, because it is linked into the
// executable of every plugin and a map would be built in each of them.
//
// Where a name has several meanings the other side decides (8 oz in ml, 8 oz in
// g), then the first line here that has it: pints, cups, gallons and tons are
// those of the United States.
const unitTable = `
=length
1 m*,metre~,meter~
1609.344 mi,mile,statute mile
0.3048 ft,foot,feet,',′
0.0254 in,inch,",″
0.9144 yd,yard,yds
1852 nmi,nautical mile,NM
0.0000254 mil,thou
0.000001 µm,micron
0.0000000001 Å,angstrom,ångström
201.168 furlong,fur
20.1168 chain
5.0292 rod
1.8288 fathom,ftm
4828.032 league
0.1016 hand
0.0254/72 pt,point
149597870700 au,AU,astronomical unit
9460730472580800 ly,light-year,light year,lightyear
≈30856775814913673 pc*,parsec~
=area
10000 ha,hectare
4046.8564224 acre,ac
100 are
=volume
0.001 l*,L*,litre~,liter~
0.003785411784 gal,gallon,us gallon
0.000946352946 qt,quart,us quart
0.000473176473 pt,pint,us pint
0.0002365882365 cup,us cup
0.0000295735295625 fl oz,floz,fluid ounce,us fluid ounce,oz,ounce
0.00001478676478125 tbsp,tablespoon
0.00000492892159375 tsp,teaspoon
0.00454609 imp gal,imperial gallon,uk gallon
0.0011365225 imp qt,imperial quart,uk quart
0.00056826125 imp pt,imperial pint,uk pint
0.0000284130625 imp fl oz,imperial fluid ounce,uk fluid ounce
0.158987294928 bbl,barrel,oil barrel
0.000001 cm³,cc,ccm
=mass
0.001 g*,gram~,gramme~
1000 t,tonne~,metric ton
0.45359237 lb,lbs,pound,lbm
0.028349523125 oz,ounce
6.35029318 st,stone
907.18474 ton,short ton,us ton
1016.0469088 long ton,imperial ton
0.0002 ct,carat
0.00006479891 gr,grain
0.0017718451953125 dr,dram
0.0311034768 oz t,troy ounce,troy oz,ozt
45.359237 cwt,hundredweight
=temperature
1+273.15 °C,C,℃,celsius,centigrade,degc,deg c,degree c,degrees c,degree celsius,degrees celsius
5/9+459.67 °F,F,℉,fahrenheit,degf,deg f,degree f,degrees f,degree fahrenheit,degrees fahrenheit
1+0 K,kelvin
5/9+0 °R,rankine
=time
1 s*,second~,sec
60 min,minute
3600 h,hr,hour,hrs
86400 d,day
604800 wk,week
1209600 fortnight
2629800 mo,month
31557600 yr,year,a,yrs
315576000 decade
3155760000 century,centuries
=data
1 bit%,bit&,b%
8 B%,byte&,octet
4 nibble
=speed
0.44704 mph
1/3.6 km/h,kph,kmh,kmph
1852/3600 kn,knot,kt,kts
0.3048 fps
1 m/s,mps
299792458 c,speed of light
=energy
1 J*,joule~
3600 Wh*,watt-hour~,watt hour~,watthour~
4.184 cal*,calorie~
4184 Cal,food calorie
≈0.0000000000000000001602176634 eV*,electronvolt~
1055.05585262 BTU,british thermal unit
105505585.262 therm,thm
0.0000001 erg
1.3558179483314004 ft lb,ft-lb,ft·lb,ftlb,foot-pound,foot pound
=power
1 W*,watt~
745.69987158227022 hp,horsepower
735.49875 PS,metric horsepower,cv
1055.05585262/3600 BTU/h
=pressure
1 Pa*,pascal~
100000 bar*,bar~
101325 atm,atmosphere
101325/760 Torr,torr
133.322387415 mmHg
3386.388640341 inHg
4.4482216152605/0.00064516 psi
=angle
1 turn,revolution,rev
1/360 °,deg,degree
1/400 gon,grad,gradian
1/21600 ′,',arcmin,arcminute
1/1296000 ″,",arcsec,arcsecond
≈0.15915494309189533576888376337251436203445964574046 rad*,radian~
=frequency
1 Hz*,hertz~
1/60 rpm,bpm
=force
1 N*,newton~
4.4482216152605 lbf,pound-force,pound force
9.80665 kgf,kilogram-force,kilogram force,kp
0.00001 dyn,dyne
=economy
1609.344/0.003785411784 mpg,us mpg,mpg us
1609.344/0.00454609 imp mpg,mpg imp,uk mpg,mpg uk
1000000 km/l,kml,kmpl
=consumption
1/100000000 l/100km,l/100 km
`

// The prefixes with their power of ten, or of two.
const (
	prefixSymbols = "E18 P15 T12 G9 M6 k3 h2 da1 d-1 c-2 m-3 µ-6 u-6 n-9 p-12 f-15"
	prefixNames   = "exa18 peta15 tera12 giga9 mega6 kilo3 hecto2 deca1 deci-1 centi-2 milli-3 micro-6 nano-9 pico-12 femto-15"
	dataSymbols   = "E18 P15 T12 G9 M6 k3 Ei60 Pi50 Ti40 Gi30 Mi20 Ki10"
	dataNames     = "exa18 peta15 tera12 giga9 mega6 kilo3 exbi60 pebi50 tebi40 gibi30 mebi20 kibi10"
)
