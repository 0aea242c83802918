/** Returns the progress line of the bundling step. The estimate is for two idle cores. */
export function bundling(count: number, all: number): string {
  const seconds = Math.ceil(2 + count / 8)
  return `bundling ${count} of ${all} functions (about ${seconds} s, longer on a busy machine) …`
}
