import { createHash } from 'node:crypto'

/** Providers refuse longer names. */
const longest = 64

/** In characters. */
const markLength = 8

/**
 * Returns the functions' names for the tools of a connection: `notes__search`. A name with other characters, or a longer
 * one, is changed. If several tools then have the same name, the changed ones end with a mark of their own name, so that
 * a name never means another tool when the server changes its list.
 * @returns the names by the tools' own names
 */
export function functionNames(connection: string, tools: readonly string[]): Map<string, string> {
  const named = [...new Set(tools)].map((own) => {
    const whole = `${connection}__${own}`
    return { own, whole, name: whole.replaceAll(/[^\w-]/g, '_').slice(0, longest) }
  })
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    named.map(({ own, whole, name }) => {
      const isAlone = counts.get(name) === 1
      return [own, isAlone || name === whole ? name : marked(name, own)]
    }),
  )
}

function marked(name: string, own: string): string {
  const mark = createHash('sha256').update(own).digest('hex').slice(0, markLength)
  return `${name.slice(0, longest - markLength - 1)}_${mark}`
}
