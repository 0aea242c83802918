/** `npm run new`: writes the first files of a noun, a row, a job or a route, and prints the steps that remain. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Draft, drafts, isKind, usage } from './drafts.ts'

interface District {
  name: string
  about: string
  nouns: Record<string, string>
}

/**
 * Writes the files of a draft below `root`. @returns what to print @throws Error for a wrong use or a file that exists
 */
export async function scaffold(root: string, words: readonly string[]): Promise<string> {
  const [kind = '', ...args] = words
  if (!isKind(kind)) throw new Error(usage)
  const draft = drafts[kind](args)
  if (draft === undefined) throw new Error(usage)
  const paths = Object.keys(draft.files)
  const taken = paths.find((path) => existsSync(join(root, path)))
  if (taken !== undefined) throw new Error(`${taken} exists`)
  if (draft.noun !== undefined) await nameNoun(root, draft.noun)
  for (const [path, text] of Object.entries(draft.files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const written = paths.map((path) => `wrote ${path}\n`).join('')
  const steps = draft.next.map((step, i) => `${i + 1}. ${step}\n`).join('')
  return `${written}\nNext (AGENTS.md, "How to add"), then npm run format:\n\n${steps}`
}

/** Adds a noun at the end of its district. */
async function nameNoun(
  root: string,
  { district, noun, about }: NonNullable<Draft['noun']>,
): Promise<void> {
  const path = join(root, 'shared/districts.json')
  const districts = JSON.parse(await readFile(path, 'utf8')) as District[]
  const found = districts.find(({ name }) => name === district)
  if (found === undefined)
    throw new Error(`${district} is not one of ${districts.map(({ name }) => name).join(', ')}`)
  if (noun in found.nouns) throw new Error(`${district} already has a noun ${noun}`)
  found.nouns[noun] = about
  await writeFile(path, `${JSON.stringify(districts, undefined, 2)}\n`)
}

if (import.meta.main) {
  try {
    const root = resolve(import.meta.dirname, '../..')
    process.stdout.write(await scaffold(root, process.argv.slice(2)))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 2
  }
}
