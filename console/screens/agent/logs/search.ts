/** Returns the indexes of the texts that contain a term, case-insensitive. */
export function placesOf(texts: readonly string[], term: string): number[] {
  if (term === '') return []
  const wanted = patternOf(term)
  return texts.flatMap((text, i) => (text.search(wanted) < 0 ? [] : [i]))
}

/** Splits a text at the term. Every second piece is a match. */
export function pieces(text: string, term: string): string[] {
  if (term === '') return [text]
  const found: string[] = []
  let from = 0
  for (const { 0: match, index } of text.matchAll(patternOf(term))) {
    found.push(text.slice(from, index), match)
    from = index + match.length
  }
  return [...found, text.slice(from)]
}

/** Lower case can be longer than upper case (İ), so an index in lower-cased text could be wrong. */
function patternOf(term: string): RegExp {
  return new RegExp(term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu')
}
