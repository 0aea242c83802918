/** The districts of shared/, from its list of names, and the documents that show them. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

export interface District {
  name: string
  about: string
  /** Each noun's line, by its folder; a noun imports only nouns before it. */
  nouns: Record<string, string>
}

/** Lowest first: a district imports only districts before it. */
export async function readDistricts(): Promise<District[]> {
  return JSON.parse(await readFile('shared/districts.json', 'utf8')) as District[]
}

/** Returns the districts that each district imports from, tests aside. */
export async function importedDistricts(
  districts: readonly District[],
): Promise<Map<string, string[]>> {
  const found = await Promise.all(
    districts.map(async ({ name }) => {
      const imported = await importsIn(join('shared', name))
      return [
        name,
        districts.map((each) => each.name).filter((each) => imported.has(each)),
      ] as const
    }),
  )
  return new Map(found.map(([name, others]) => [name, others.filter((each) => each !== name)]))
}

async function importsIn(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sources = entries
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes('/testing/'))
  const targets = await Promise.all(
    sources.map(async (path) => {
      const source = await readFile(path, 'utf8')
      return [...source.matchAll(/\b(?:from|import)\s*\(?\s*'(#|\.{1,2}\/)([^']+)'/g)].map(
        ([, start = '', rest = '']) =>
          start === '#' ? rest : normalize(join(dirname(path), start, rest)),
      )
    }),
  )
  return new Set(targets.flat().flatMap((path) => /^shared\/([^/]+)\//.exec(path)?.slice(1) ?? []))
}

/** Writes a district's README. */
export function readmeOf({ name, about, nouns }: District, imported: readonly string[]): string {
  const lines = Object.entries(nouns).map(([noun, line]) => wrapped(`- \`${noun}\`: ${line}`))
  const parts = [
    `# ${name}`,
    wrapped(about),
    'Nouns, lowest first; each imports only nouns above it in this list:',
    lines.join('\n'),
    wrapped(`Imports from: ${imported.length === 0 ? 'no other district' : imported.join(', ')}.`),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Breaks a line as the formatter does: at 120 characters, a list's item with its indent. */
export function wrapped(text: string): string {
  const indent = text.startsWith('- ') ? '  ' : ''
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '' || line === indent) lines[lines.length - 1] = line + word
    else if (line.length + 1 + word.length <= 120) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(indent + word)
  }
  return lines.join('\n')
}

const [begin, end] = ['<!-- districts -->', '<!-- /districts -->']

/** Replaces the picture between the marks of a document. */
export function withDistricts(
  document: string,
  districts: readonly District[],
  imported: ReadonlyMap<string, readonly string[]>,
): string {
  const [before = '', rest = ''] = document.split(begin)
  const [, after = ''] = rest.split(end)
  const arrows = [...imported].flatMap(([name, others]) =>
    others
      .filter((other) => !isImplied(name, other, imported))
      .map((other) => `  ${name} --> ${other}`),
  )
  const lines = districts
    .toReversed()
    .map(({ name, about }) => wrapped(`- [${name}](../../shared/${name}/README.md): ${about}`))
  const picture = ['```mermaid', 'flowchart TB', ...arrows.toReversed(), '```'].join('\n')
  return `${before}${begin}\n\n${picture}\n\n${lines.join('\n')}\n\n${end}${after}`
}

/** Returns whether an arrow follows from two others, so that the picture can leave it out. */
function isImplied(
  from: string,
  to: string,
  imported: ReadonlyMap<string, readonly string[]>,
): boolean {
  return imported.get(from)?.some((between) => imported.get(between)?.includes(to)) === true
}
