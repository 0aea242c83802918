/** The maximum length of a result for the model, in characters of JSON: as the results of the other tools. */
const longestResult = 12_000

/** Returns the beginning of a text that fits into a result. */
export function beginningOf(text: string): string {
  let fits = 0
  for (let tooMany = Math.min(text.length, longestResult) + 1; tooMany - fits > 1;) {
    const half = Math.floor((fits + tooMany) / 2)
    if (lengthOf(text.slice(0, half)) <= longestResult) fits = half
    else tooMany = half
  }
  const beginning = text.slice(0, fits)
  // The cut may have divided a surrogate pair.
  return fits < text.length && !beginning.isWellFormed() ? beginning.slice(0, -1) : beginning
}

/** Returns the first values that fit into a result. */
export async function firstOf<T>(values: AsyncIterable<T>): Promise<{ first: T[]; all: boolean }> {
  const first: T[] = []
  let remaining = longestResult
  for await (const value of values) {
    remaining -= JSON.stringify(value).length
    if (remaining < 0) return { first, all: false }
    first.push(value)
  }
  return { first, all: true }
}

function lengthOf(text: string): number {
  return JSON.stringify(text).length - '""'.length
}
