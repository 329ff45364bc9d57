// Prepared schematics: nerve cells, networks, and the words of genetic algorithms.

/** @type {import("./schematicgallery.js").Prepared[]} */
export const NETWORKS = [
  {
    id: "neuron", title: "A nerve cell and a synapse",
    script: `sheet 680 320
text "A nerve cell" at 230 26 bold
# Dendrites collect.
curve 20 80 70 110 118 142 thick colour blue
curve 30 165 75 162 112 160 thick colour blue
curve 25 250 70 215 118 180 thick colour blue
curve 70 110 60 75 75 48 colour blue
curve 70 215 95 240 92 275 colour blue
icon circle blue at 145 160 radius 34
# The axon passes on.
curve 180 160 260 150 340 168 410 160 thick colour orange
curve 410 160 435 140 455 110 thick colour orange
curve 410 160 440 165 462 168 thick colour orange
curve 410 160 430 190 450 222 thick colour orange
text "dendrites:|what comes in" at 62 300 small
text "cell body:|sums up" at 160 225 small
text "axon: fires when the sum|is above a threshold" at 300 205 small
text "A synapse" at 590 26 bold
box "end of|an axon" at 590 90 size 120 66 round fill orange
dots 9 circle pink at 590 146 size 84 24 radius 3 seed 4
box "dendrite of|the next cell" at 590 205 size 150 60 round fill blue
text "The stronger the synapse,|the larger the weight of|what it passes on." at 590 278 small faint
`,
  },
  {
    id: "regions", title: "Regions of the brain",
    script: `sheet 640 340
text "Regions of the brain, seen from the left" at 320 26 bold
# The outline, and the furrows between the lobes.
curve 200 230 150 190 160 120 230 75 330 62 430 85 490 150 480 215 430 235 360 232 290 248 200 230 thick
curve 318 64 300 110 312 160 dashed
curve 200 205 260 175 340 168 400 176 dashed
curve 432 88 410 130 420 176 438 232 dashed
text "frontal|plans, moves" at 232 132 small
text "parietal|feels, finds|places" at 362 118 small
text "temporal|hears, names" at 316 208 small
text "occipital|sees" at 454 152 small
curve 372 236 400 286 458 276 470 228 colour green thick
text "cerebellum|times movements" at 486 288 left small colour green
curve 330 244 344 290 340 326 colour orange thick
text "brain stem" at 322 300 right small colour orange
`,
  },
  {
    id: "brain", title: "A brain and a computer",
    script: `sheet 640 310
text "A brain and a computer" at 320 26 bold
table at 40 56 widths 160 200 200
row "" "brain" "computer" bold
row "units" "10¹¹ nerve cells" "10¹⁰ transistors a chip"
row "connections" "10⁴ of each cell" "a few of each"
row "time of a step" "10⁻³ s" "10⁻⁹ s"
row "at a time" "all units" "a few units"
row "memory" "in the synapses,|spread over many" "at an address"
row "a part is lost" "a little worse" "it fails"
text "Rough orders of magnitude." at 320 290 small faint
`,
  },
  {
    id: "unit", title: "A unit with its bias",
    script: `sheet 640 300
node "x₁" at 70 60 as a
node "x₂" at 70 130 as b
node "x₃" at 70 200 as c
node "1" at 70 260 radius 16 as one observed
node "Σ" at 290 140 radius 30 as sum colour blue
box "f" at 430 140 size 60 50 as squash fill green
arrow a -> sum label "w₁"
arrow b -> sum label "w₂"
arrow c -> sum label "w₃"
arrow one -> sum label "b" bend -20
arrow sum -> squash label "z"
arrow squash -> 560 140 label "y"
text "y = f(w₁x₁ + w₂x₂ + w₃x₃ + b)" at 430 230
`,
  },
  {
    id: "one-layer", title: "A network of one layer",
    script: `sheet 640 280
network 4 3 at 320 140 size 300 220 letters "x" "y" as net
text "inputs" at 100 140 right
text "outputs" at 540 140 left
`,
  },
  {
    id: "multilayer", title: "A network of several layers",
    script: `sheet 640 330
network 3 4 4 2 at 320 150 size 460 240 letters "x" "h" "g" "y" biases as net
text "inputs" at 90 305
text "hidden layers" at 320 305
text "outputs" at 550 305
arrow net.4.1 -> 625 95
arrow net.4.2 -> 625 155
`,
  },
  {
    id: "autoencoder", title: "An autoencoder",
    script: `sheet 640 320
network 5 3 2 3 5 at 320 150 size 480 230 letters "x" "" "z" "" "x̂"
box "" at 200 150 size 290 264 dashed colour blue
box "" at 440 150 size 290 264 dashed colour green
text "encoder" at 200 302 colour blue
text "decoder" at 440 302 colour green
`,
  },
  {
    id: "recurrent", title: "A recurrent network, unrolled",
    script: `sheet 680 280
node "h" at 80 140 as h colour blue
node "x" at 80 230 as x
node "y" at 80 50 as y
arrow x -> h
arrow h -> y
arrow h -> h label "W"
text "=" at 205 140 bold
node "h₁" at 300 140 as h1 colour blue
node "h₂" at 420 140 as h2 colour blue
node "h₃" at 540 140 as h3 colour blue
node "x₁" at 300 230 as x1
node "x₂" at 420 230 as x2
node "x₃" at 540 230 as x3
node "y₁" at 300 50 as y1
node "y₂" at 420 50 as y2
node "y₃" at 540 50 as y3
arrow 240 140 -> h1 label "h₀"
arrow h1 -> h2 label "W"
arrow h2 -> h3 label "W"
arrow h3 -> 620 140 label "W"
arrow x1 -> h1
arrow x2 -> h2
arrow x3 -> h3
arrow h1 -> y1
arrow h2 -> y2
arrow h3 -> y3
`,
  },
  {
    id: "hidden-chain", title: "A hidden Markov model as a network",
    script: `sheet 640 240
node "y₀" at 80 80 as y0
node "y₁" at 220 80 as y1
node "y₂" at 360 80 as y2
node "y₃" at 500 80 as y3
node "x₁" at 220 180 as x1 observed
node "x₂" at 360 180 as x2 observed
node "x₃" at 500 180 as x3 observed
arrow y0 -> y1
arrow y1 -> y2
arrow y2 -> y3
arrow y3 -> 600 80 dashed
arrow y1 -> x1
arrow y2 -> x2
arrow y3 -> x3
text "hidden" at 30 40 left small faint
text "observed" at 130 180 small faint
`,
  },
  {
    id: "genetic", title: "The words of genetic algorithms",
    script: `sheet 700 400
text "Genetic algorithms: the words" at 350 24 bold
box "population" at 150 150 size 240 190 top dashed
bits 10110010 at 150 105 as mother
bits 01101100 at 150 145 as father mark 3
bits 11100011 at 150 185
bits 00010111 at 150 225
text "chromosome: one|individual, a solution" at 330 92 left small
arrow 322 96 -> 256 104
text "gene: a place (orange);|its value is the allele" at 330 145 left small
arrow 322 145 -> 256 145
box "fitness f" at 395 215 size 110 44 fill green as fitness
arrow 272 215 -> fitness
box "selection" at 610 215 size 110 44 as selection
arrow fitness -> selection label "fitter ones"
box "next generation" at 350 330 size 660 110 top dashed
bits 10101100 at 150 340 mark 4 5 6 7 8 label "crossover: the tail of another parent"
bits 10110110 at 530 340 mark 6 label "mutation: one gene flips"
arrow selection -> 610 272
`,
  },
];
