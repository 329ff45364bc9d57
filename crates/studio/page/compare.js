// Several configured methods on the same cuts of the points, or on two stored sets.

import { job } from "./api.js";
import { specification } from "./code.js";
import { question } from "./fitting.js";
import { $, button, element } from "./parts.js";
import { judged, resultText, resultView } from "./results.js";
import { guarded, say, sayProgress } from "./say.js";
import { bothSets, sets, showSets, whenStored } from "./sets.js";
import { save } from "./share.js";
import { state } from "./state.js";

/** The methods that take part. */
const contest = [];
let results = null;

// How the points are cut: what is asked of the server, and what to call it.
const SCHEMES = {
  folds: () => ({ folds: count(), how: `over ${count()} folds` }),
  splits: () => ({ folds: count(), share: Number($("split-share").value) / 100, how: `over ${count()} random splits` }),
  sets: () => ({ folds: 1, learned: sets.A.points.length, how: "learned from A, judged on B" }),
};
const count = () => Number($("folds").value);

export function wireCompare() {
  $("enter").onclick = () => {
    contest.push(structuredClone(state.steps));
    showContestants();
  };
  $("compare").onclick = guarded(compare);
  $("scheme").onchange = showScheme;
  $("result-view").onchange = showResults;
  $("save-results").onclick = () => save("comparison.csv", resultText(results), "text/csv");
  $("save-contest").onclick = () => save("comparison.json", JSON.stringify({ version: 1, contest, sets, results }), "application/json");
  $("choose-contest").onclick = () => $("open-contest").click();
  $("open-contest").onchange = guarded(async (event) => openContest(JSON.parse(await event.target.files[0].text())));
  whenStored(showContestants);
  showSets();
  showScheme();
}

function showScheme() {
  $("folds-row").hidden = $("scheme").value === "sets";
  $("split-row").hidden = $("scheme").value !== "splits";
}

// Takes a saved comparison over; fails with a sentence where it is none.
function openContest(saved) {
  if (saved?.version !== 1 || !Array.isArray(saved.contest)) throw new Error("this is no comparison of the studio");
  contest.splice(0, contest.length, ...saved.contest);
  Object.assign(sets, { A: saved.sets?.A ?? null, B: saved.sets?.B ?? null });
  results = saved.results ?? null;
  showSets();
  showResults();
}

function showContestants() {
  $("contest").replaceChildren(...contest.map((steps, index) => {
    const line = element("div", undefined, "entry");
    const remove = button("×", "Remove", () => {
      contest.splice(index, 1);
      showContestants();
    });
    remove.setAttribute("aria-label", "Remove");
    line.append(specification(steps), remove);
    return line;
  }));
  $("compare").disabled = contest.length === 0;
  $("save-contest").disabled = contest.length === 0;
}

async function compare() {
  const stored = $("scheme").value === "sets" ? bothSets() : undefined;
  const request = question(contest[0], false, stored);
  if (!request) throw new Error("draw some points first");
  delete request.train;
  const { how, ...scheme } = SCHEMES[$("scheme").value]();
  const body = { ...request, ...scheme, others: contest.slice(1), seed: 0 };
  const mine = new AbortController();
  try {
    const answer = await job("/api/judge", body, mine.signal, ({ iteration, limit }) => {
      sayProgress(`fit ${iteration} of ${limit}`, iteration / limit, () => mine.abort());
    });
    say("");
    results = { ...judged(answer.methods), how };
    showResults();
  } catch (error) {
    if (!mine.signal.aborted) throw error;
    say("stopped");
  }
}

function showResults() {
  $("result-bar").hidden = !results?.lists.length;
  if (!results) return $("results").replaceChildren();
  const { lists, failed } = results;
  $("results").replaceChildren(...failed.map(({ spec, error }) => element("p", `${spec}: ${error}`)));
  if (lists.length) $("results").append(resultView($("result-view").value, results));
}
