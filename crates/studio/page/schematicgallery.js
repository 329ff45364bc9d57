// Prepared schematics: learning, judging, spaces and decisions. Each is a script to change and to build on.

import { NETWORKS } from "./schematicnetworks.js";

/**
 * @typedef {{id: string, title: string, script: string}} Prepared
 * @type {Prepared[]}
 */
const TEACHING = [
  {
    id: "supervised", title: "Supervised: every object has its class",
    script: `sheet 640 300
text "Supervised learning: the classes are given" at 320 24 bold
# Six objects of three colours and two shapes; the box says which class an object has.
box "class 1" at 120 130 size 170 130 top colour blue
icon circle blue at 85 140
icon triangle blue at 155 140
box "class 2" at 320 130 size 170 130 top colour orange
icon circle orange at 285 140
icon triangle orange at 355 140
box "class 3" at 520 130 size 170 130 top colour green
icon circle green at 485 140
icon triangle green at 555 140
text "a new object gets its class by the rule that was learned:" at 420 250 right faint
icon star blue at 455 250
arrow 480 250 -> 530 250
text "class 1" at 540 250 left colour blue bold
`,
  },
  {
    id: "unsupervised", title: "Unsupervised: two groupings, both valid",
    script: `sheet 640 380
text "Unsupervised learning: no classes are given" at 320 22 bold
# The objects themselves.
icon circle blue at 195 62 radius 13
icon triangle blue at 245 62 radius 13
icon circle orange at 295 62 radius 13
icon triangle orange at 345 62 radius 13
icon circle green at 395 62 radius 13
icon triangle green at 445 62 radius 13
arrow 270 84 -> 180 118
arrow 370 84 -> 460 118
# By colour there are three groups.
text "by colour" at 160 132 bold
box "" at 65 205 size 80 110 dashed
icon circle blue at 65 180 radius 13
icon triangle blue at 65 230 radius 13
box "" at 160 205 size 80 110 dashed
icon circle orange at 160 180 radius 13
icon triangle orange at 160 230 radius 13
box "" at 255 205 size 80 110 dashed
icon circle green at 255 180 radius 13
icon triangle green at 255 230 radius 13
# By shape there are two.
text "by shape" at 480 132 bold
box "" at 480 178 size 220 56 dashed
icon circle blue at 410 178 radius 13
icon circle orange at 480 178 radius 13
icon circle green at 550 178 radius 13
box "" at 480 242 size 220 56 dashed
icon triangle blue at 410 242 radius 13
icon triangle orange at 480 242 radius 13
icon triangle green at 550 242 radius 13
line 320 120 -- 320 290 dashed colour grey
text "Nothing in the objects says which grouping is meant:|the measure of similarity decides." at 320 330 faint
`,
  },
  {
    id: "similarity", title: "Hard similarity: all partly alike",
    script: `sheet 640 300
text "Which two belong together?" at 320 26 bold
# Any two of the four agree in something, and no two in everything.
icon circle blue at 110 130 radius 34
icon circle blue at 250 130 radius 34 striped
icon square blue at 390 130 radius 30
icon circle orange at 530 130 radius 34
text "blue, round, full" at 110 200 small
text "blue, round, striped" at 250 200 small
text "blue, square, full" at 390 200 small
text "orange, round, full" at 530 200 small
text "Every pair shares a colour, a shape or a filling: no grouping is the natural one." at 320 255 faint
`,
  },
  {
    id: "partition", title: "Training, validation and test",
    script: `sheet 640 220
text "One set of samples, cut into three that share nothing" at 320 28 bold
bar at 320 96 size 580 56
part "train" 60 blue
part "validation" 20 orange
part "test" 20 green
text "fits the|parameters" at 204 156 small
text "chooses among|settings" at 436 156 small
text "judges, once,|at the end" at 552 156 small
`,
  },
  {
    id: "pairs", title: "Pictures that go with sounds",
    script: `sheet 640 260
text "Two data points, each seen in two views" at 320 26 bold
box "point 1" at 170 140 size 250 180 top
icon picture blue at 105 140 radius 30
icon sound blue at 235 140 radius 30
text "picture x¹" at 105 195 small
text "sound y¹" at 235 195 small
box "point 2" at 470 140 size 250 180 top
icon picture orange at 405 140 radius 30
icon sound orange at 535 140 radius 30
text "picture x²" at 405 195 small
text "sound y²" at 535 195 small
line 142 140 -- 192 140 dashed
line 442 140 -- 492 140 dashed
`,
  },
  {
    id: "f1", title: "F1 of groups with a few labels",
    script: `sheet 640 350
text "How well do groups agree with a few known classes?" at 320 26 bold
box "" at 170 130 size 240 150 round dashed
box "" at 470 130 size 240 150 round dashed
text "group 1" at 170 220
text "group 2" at 470 220
# Grey: no label. Six of twelve are labelled.
dots 4 circle grey at 170 150 size 150 60 radius 9 hollow seed 3
icon circle blue at 145 92 radius 9
icon circle blue at 195 92 radius 9
dots 2 circle grey at 470 160 size 110 30 radius 9 hollow seed 2
icon square orange at 430 100 radius 8
icon square orange at 470 92 radius 8
icon square orange at 510 100 radius 8
icon square orange at 470 128 radius 8
table at 40 240 widths 100 110 110 150
row "class" "recall R" "precision P" "F1 = 2RP/(R+P)" bold
row "blue" "2/2 = 1" "2/6" "0.5"
row "orange" "4/4 = 1" "4/6" "0.8"
text "2/6·0.5|+ 4/6·0.8|= 0.7" at 575 280
`,
  },
  {
    id: "feature-space", title: "Input space to feature space",
    script: `sheet 680 330
text "No line parts the classes; in a space of more dimensions a plane does" at 340 24 bold
axes "x₁" "x₂" at 50 280 size 230 215
dots 12 circle blue at 160 175 size 74 74 seed 5
dots 18 square orange at 160 175 size 176 176 ring
text "input space" at 160 312
arrow 300 165 -> 385 165 label "φ" thick
axes "φ₁" "φ₃" at 470 240 size 180 180 depth "φ₂"
dots 12 circle blue at 540 215 size 80 28 seed 5
plane at 545 165 size 160 44 slant 30 colour green
dots 18 square orange at 540 105 size 170 52 ring
text "feature space" at 545 312
`,
  },
  {
    id: "agent", title: "Agent and environment",
    script: `sheet 640 300
text "At every step t = 0, 1, 2, …" at 320 28 bold
box "agent|policy π" at 320 90 size 170 60 as agent fill blue
box "environment" at 320 220 size 170 60 as environment fill green
arrow agent -> environment label "action|aₜ ∈ A(sₜ)" bend 190
arrow environment -> agent label "state sₜ₊₁,|reward rₜ₊₁" bend 190
text "The reward belongs to the step after its action; which actions there are depends on the state." at 320 282 small faint
`,
  },
  {
    id: "gates", title: "Three-node gates",
    script: `sheet 740 500
text "chain" at 190 30 bold
text "common cause" at 400 30 bold
text "explaining away" at 620 30 bold
text "B unknown" at 14 96 left small
text "B observed" at 14 256 left small
gate chain "A" "B" "C" at 190 96
gate cause "A" "B" "C" at 400 96
gate collider "A" "B" "C" at 620 90
gate chain "A" "B" "C" at 190 256 observed
gate cause "A" "B" "C" at 400 256 observed
gate collider "A" "B" "C" at 620 250 observed
line 14 190 -- 726 190 dashed colour grey
line 14 346 -- 726 346 dashed colour grey
text "A collider is open as well where something|that follows from it is observed:" at 500 410 right small
gate collider "A" "B" "C" at 620 400 descendant
`,
  },
  {
    id: "flow", title: "Training and testing",
    script: `sheet 640 280
text "training" at 20 60 left bold
box "training data" at 190 60 size 130 50 as data
box "learning|algorithm" at 370 60 size 130 50 as learner fill blue
box "model h" at 540 130 size 110 56 as model fill green
arrow data -> learner
arrow learner -> model
line 20 130 -- 440 130 dashed colour grey
text "testing" at 20 200 left bold
box "new samples x" at 190 200 size 130 50 as fresh
box "predictions|h(x)" at 370 200 size 130 50 as predictions
arrow fresh -> model bend -70
arrow model -> predictions
`,
  },
];

/** Every prepared schematic. */
export const GALLERY = [...TEACHING, ...NETWORKS];
