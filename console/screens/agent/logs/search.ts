/** The indexes of the texts that contain a term; upper and lower case are the same. */
export function placesOf(texts: readonly string[], term: string): number[] {
  if (term === '') return []
  const wanted = patternOf(term)
  return texts.flatMap((text, i) => (text.search(wanted) < 0 ? [] : [i]))
}

/** A text in pieces, every second of which is the term. */
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

/** Lower case may be longer than upper case, as that of İ is: compared as text, a match would not tell where it is. */
function patternOf(term: string): RegExp {
  return new RegExp(term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu')
}
