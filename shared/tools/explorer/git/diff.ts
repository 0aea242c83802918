import { descend, PathError } from '#shared/platform/folder/directory.ts'
import { byBytes } from '#shared/platform/folder/names.ts'
import { type Explored, requireRoot } from '../context.ts'
import { parsePathspec } from '../files/path.ts'
import { shownPath } from '../quote-path.ts'
import { compareWithHead, sidesOf } from './compare.ts'
import { type Converter, Unconverted } from './convert.ts'
import type { TreeFile } from './head-tree.ts'
import { commitContent, isCommit, patchOf, type Side } from './patch.ts'
import { openRepository, readIndex, type Repository } from './repository.ts'
import { blobId, LargeFile, statusOf, modes, readWork } from './work-file.ts'
import {
  scanWorkTree,
  type WorkFile,
  type WorkTreeSettings,
  workTreeSettings,
} from './work-tree.ts'

/** The maximum number of bytes of each text as JSON: a response has at most 6 MB. */
const maxBytes = 2_500_000
const maxFileBytes = 5_000_000

/**
 * Returns the output of `git diff` and `git diff --cached`, with `--no-renames --ignore-submodules=dirty`. A
 * conflicting path is compared with our side (`--ours`). Untracked files are omitted.
 * @param path the path of a file or a folder, relative to the root; absent for all
 * @throws PlatformError 400 for a path that leaves the root
 */
export async function gitDiff(ctx: Explored, { path }: { path?: string | undefined }) {
  const isMeant = parsePathspec(path)
  const root = await requireRoot(ctx)
  const opened = await openRepository(root)
  if (opened === undefined) return { ok: true as const, unstaged: null, staged: null }
  await using repository = opened
  const index = await readIndex(repository)
  const sides = sidesOf(index.entries.filter((entry) => isMeant(entry.path)))
  const settings = await workTreeSettings(repository, root)
  const { entries } = sides
  const query = { ...settings, entries, indexMtimeNs: index.mtimeNs, untracked: false }
  const { changed } = await scanWorkTree(query)
  const steps = await compareWithHead(repository, sides)
  const unstaged = new Printed()
  const staged = new Printed()
  for (const name of inOrder([...changed.keys(), ...sides.conflicts.keys()])) {
    if (sides.conflicts.has(name)) unstaged.add(`* Unmerged path ${shownPath(name)}\n`)
    const entry = sides.byPath.get(name)
    const before = sides.intended.has(name) ? undefined : entry
    // A conflict may have no entry for our side.
    if (changed.has(name) && entry?.stage !== 1 && entry?.stage !== 3)
      await unstaged.compare(
        name,
        await blob(repository, before),
        await workSide(settings, name, changed.get(name), before?.oid),
      )
  }
  for (const name of inOrder([...steps.keys(), ...sides.conflicts.keys()].filter(isMeant))) {
    if (sides.conflicts.has(name)) staged.add(`* Unmerged path ${shownPath(name)}\n`)
    const step = steps.get(name)
    if (step !== undefined && !sides.conflicts.has(name))
      await staged.compare(
        name,
        await blob(repository, step.before),
        await blob(repository, step.after),
      )
  }
  return { ok: true as const, unstaged: unstaged.text(), staged: staged.text() }
}

function inOrder(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort(byBytes)
}

/** Collects text up to the size limit of the response. */
class Printed {
  #parts: string[] = []
  #bytes = 0
  #left: string[] = []

  add(text: string, path = ''): void {
    const bytes = Buffer.byteLength(JSON.stringify(text))
    if (this.#bytes + bytes > maxBytes) this.#left.push(path)
    else {
      this.#parts.push(text)
      this.#bytes += bytes
    }
  }

  async compare(
    path: string,
    before: Side | 'large' | undefined,
    after: Side | 'large' | undefined,
  ) {
    if (before === 'large' || after === 'large') this.#left.push(path)
    else this.add(Buffer.from(patchOf(path, before, after), 'latin1').toString(), path)
  }

  /** Returns the text. If text was omitted, a comment line is added, which patch(1) ignores. */
  text(): string | null {
    const cut = this.#left.length
    if (cut > 0)
      this.#parts.push(
        `# Omitted because of the size of the response: ${cut} more, beginning with ${JSON.stringify(shownPath(this.#left[0] ?? ''))}; request them by path\n`,
      )
    return this.#parts.length === 0 ? null : this.#parts.join('')
  }
}

async function blob(
  { git, at }: Repository,
  file: TreeFile | undefined,
): Promise<Side | 'large' | undefined> {
  if (file === undefined) return undefined
  const { mode, oid } = file
  if (isCommit(file)) return { mode, oid, content: commitContent(oid) }
  const { blob: content } = await git.readBlob({ ...at, oid })
  return content.length > maxFileBytes ? 'large' : { mode, oid, content: Buffer.from(content) }
}

async function workSide(
  { root, converter }: WorkTreeSettings,
  path: string,
  file: WorkFile | undefined,
  before: string | undefined,
): Promise<Side | 'large' | undefined> {
  if (file === undefined) return undefined
  const { mode, oid } = file
  if (oid !== undefined) return { mode, oid, content: commitContent(oid) }
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  try {
    await using folder = await descend(root, folders)
    const found = await statusOf(folder, name)
    const workContent = await readWork(folder, name, maxFileBytes)
    if (workContent === undefined) return undefined
    const isFile = found?.isFile() === true && mode !== modes.link
    const content = isFile ? await asStored(converter, path, workContent, before) : workContent
    // The file may have changed since the comparison; the current content is shown.
    return { mode: found?.isSymbolicLink() ? modes.link : mode, oid: blobId(content), content }
  } catch (error) {
    if (error instanceof LargeFile) return 'large'
    if (error instanceof PathError) return undefined
    throw error
  }
}

/** Returns the stored form of a file, or the file as it is if git would run a filter on it. */
async function asStored(
  converter: Converter,
  path: string,
  content: Buffer,
  before: string | undefined,
): Promise<Buffer> {
  return converter.stored(path, content, before).catch((error: unknown) => {
    if (error instanceof Unconverted) return content
    throw error
  })
}
