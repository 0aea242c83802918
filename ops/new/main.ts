/**
 * `npm run new`: writes the first files of a noun, resource, row, verb, job, route or screen, generates what the repository
 * derives from them, and prints the remaining steps.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Generated } from './draft.ts'
import { drafts, isKind, usage } from './drafts.ts'

interface Scaffold {
  /** The paths of new and changed files. */
  paths: string[]
  generates: readonly Generated[]
  /** The text to print. */
  printed: string
}

/**
 * Writes the files of a draft below `root`, and adds its lines to existing files.
 * @throws Error for a wrong use or a file that exists; nothing is written
 */
export async function scaffold(root: string, words: readonly string[]): Promise<Scaffold> {
  const [kind = '', ...args] = words
  if (!isKind(kind)) throw new Error(usage)
  const draft = drafts[kind](args, root)
  if (draft === undefined) throw new Error(usage)
  const { files, edits = {}, generates = [], next } = draft
  const existing = Object.keys(files).find((path) => existsSync(join(root, path)))
  if (existing !== undefined) throw new Error(`${existing} exists`)
  const texts = { ...files }
  for (const [path, edit] of Object.entries(edits))
    texts[path] = edit(await readFile(join(root, path), 'utf8'))
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const paths = Object.keys(texts)
  const written = paths.map((path) => `${path in files ? 'wrote' : 'added to'} ${path}\n`).join('')
  const steps = next.map((step, i) => `${i + 1}. ${step}\n`).join('')
  return { paths, generates, printed: `${written}\nNext (AGENTS.md, "How to add"):\n\n${steps}` }
}

/** Returns the commands that generate files, with paths below the root. */
export function commandsOf(generates: readonly Generated[]): string[][] {
  const tests = generates.flatMap((each) => generating[each] ?? [])
  return [
    ...(generates.includes('api')
      ? [['--disable-warning=ExperimentalWarning', 'stacks/build/api/main.ts']]
      : []),
    ...(tests.length > 0 ? [['node_modules/vitest/vitest.mjs', 'run', ...tests, '-u']] : []),
  ]
}

/** The tests that write files with `-u`. */
const generating: Partial<Record<Generated, string>> = {
  districts: 'tests/docs/districts.test.ts',
  table: 'tests/table/entities.test.ts',
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '../..')
  try {
    const { paths, generates, printed } = await scaffold(root, process.argv.slice(2))
    const run = (command: readonly string[]) =>
      execFileSync(process.execPath, command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
    run(['node_modules/oxfmt/bin/oxfmt', ...paths])
    // Before the generators, because one of them may find an error in code that is not finished.
    process.stdout.write(printed)
    for (const command of commandsOf(generates)) run(command)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 2
  }
}
