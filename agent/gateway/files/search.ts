import { namingFaults } from './fault.ts'
import { type Folder, openFolder } from './folder.ts'
import { folderNamesIn } from './path.ts'
import { readChunk, textIn } from './read.ts'
import { firstOf } from './result.ts'

/** The bounds of one search. */
const most = { entries: 20_000, bytes: 64_000_000, ms: 5000 }

/** The bytes of a file that are searched, from its start. */
const fileBytes = 2_000_000

/** The maximum number of matches of one file, and of the characters of a match. */
const matchesPerFile = 5
const matchLength = 200

type Match = { path: string } | { path: string; line: number; text: string }

interface Search {
  workspace: string
  pattern: RegExp
  signal: AbortSignal
  /** The remaining bounds. `until` is a time of `performance.now()`. */
  left: { entries: number; bytes: number; until: number }
}

/**
 * Finds files whose name or text contains a text, in any case. Upper folders are searched first. Links are not followed. A
 * file that is not text in UTF-8 is found by its name only.
 * @throws Problem if that folder is missing; the signal's reason if the caller disconnected
 */
export async function searchFiles(
  workspace: string,
  { query, path }: { query: string; path: string },
  signal: AbortSignal,
): Promise<{ matches: Match[]; note?: string }> {
  const literal = query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const { ms, ...left } = most
  const search: Search = {
    workspace,
    pattern: new RegExp(literal, 'giu'),
    signal,
    left: { ...left, until: performance.now() + ms },
  }
  const found = matchesBelow(search, folderNamesIn(path))
  const { first, all } = await namingFaults(path, firstOf(found))
  const complete = all && !isOver(search)
  const note = 'There may be more matches. Search in a folder, or for a longer text, to find them.'
  return { matches: first, ...(!complete && { note }) }
}

async function* matchesBelow(search: Search, start: readonly string[]): AsyncGenerator<Match> {
  const folders: (readonly string[])[] = [start]
  for (let names = folders.shift(); names !== undefined; names = folders.shift()) {
    const opening = openFolder(search.workspace, names)
    await using folder = names === start ? await opening : await unlessRefused(opening)
    const { entries } = (await folder?.entries(search.left.entries)) ?? { entries: [] }
    for (const entry of entries) {
      search.signal.throwIfAborted()
      if (isOver(search)) return
      search.left.entries--
      const inside = [...names, entry.name]
      if (entry.isDirectory()) folders.push(inside)
      else if (folder !== undefined) yield* matchesIn(search, folder, inside)
    }
  }
}

async function* matchesIn(
  { pattern, left }: Search,
  folder: Folder,
  names: readonly string[],
): AsyncGenerator<Match> {
  const name = names.at(-1) ?? ''
  const path = names.join('/')
  if (name.search(pattern) >= 0) yield { path }
  const bytes = await unlessRefused(readStart(folder, name, Math.min(fileBytes, left.bytes)))
  left.bytes -= bytes?.length ?? 0
  const text = bytes && textIn(bytes)
  if (text === undefined) return
  let line = 1
  let counted = 0
  for (let i = 0; i < matchesPerFile; i++) {
    const found = pattern.exec(text)
    if (found === null) break
    line += linesIn(text.slice(counted, found.index))
    counted = found.index
    yield { path, line, text: around(text, found.index) }
    // The next match is in a later line.
    const end = text.indexOf('\n', found.index)
    if (end < 0) break
    pattern.lastIndex = end + 1
  }
  pattern.lastIndex = 0
}

async function readStart(folder: Folder, name: string, length: number): Promise<Buffer> {
  await using file = await folder.open(name)
  // Another program may have replaced the file by a pipe or a device.
  const size = (await file.stat()).isFile() ? length : 0
  return readChunk(file, 0, size)
}

/** Returns undefined for an entry that is gone or that must not be read. */
async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return undefined
  }
}

function isOver({ left }: Search): boolean {
  return left.entries <= 0 || left.bytes <= 0 || performance.now() > left.until
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}

/** Returns the line with a match, without the parts of a long line that are far from it. */
function around(text: string, at: number): string {
  const begin = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  const from = Math.max(begin, at - matchLength / 2)
  const to = Math.min(end < 0 ? text.length : end, from + matchLength)
  return text.slice(from, to).toWellFormed().trim()
}
