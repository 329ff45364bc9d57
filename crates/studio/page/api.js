// The server: plain questions, and jobs that tell of their progress.

/** Asks and gives the JSON of the answer; fails with the server's sentence. */
export async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, options);
  if (!response.ok) throw new Error(await sentence(response));
  return response.json();
}

/** Asks for a file. */
export async function file(path, body) {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await sentence(response));
  return response.blob();
}

async function sentence(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error;
  } catch {
    return text || `the server answered ${response.status}`;
  }
}

/**
 * Runs a job and gives its answer; hanging up (by the signal) stops it.
 * @param {(progress: {iteration: number, limit: number|null, name: string, objective: number}) => void} onProgress
 */
export async function job(path, body, signal, onProgress) {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
  if (!response.ok) throw new Error(await sentence(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the server hung up before it answered");
    pending += value;
    const blocks = pending.split("\n\n");
    pending = blocks.pop();
    for (const block of blocks) {
      const event = parse(block);
      if (event.name === "progress") onProgress(event.data);
      if (event.name === "answer") return event.data;
      if (event.name === "failure") throw new Error(event.data.error);
    }
  }
}

function parse(block) {
  let name = "";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  return { name, data: data ? JSON.parse(data) : null };
}
