import type { ReadCommitResult as Commit } from 'isomorphic-git'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Explored, requireRoot } from '../context.ts'
import { agoInWords } from './relative-date.ts'
import { headCommit, openRepository, type Repository, ignoreMissing } from './repository.ts'

/** Returns the last commits of HEAD in the order of `git log`. Reads no more history than it returns. */
export async function gitLog(ctx: Explored, { limit }: { limit: number }, now = Date.now()) {
  const opened = await openRepository(await requireRoot(ctx))
  if (opened === undefined) return { ok: true as const, commits: [] }
  await using repository = opened
  const head = await headCommit(repository)
  if (head === undefined || limit === 0) return { ok: true as const, commits: [] }
  const found = await history(repository, head, limit)
  const commits = found.map(({ oid, commit: { message, author } }) => ({
    hash: oid,
    shortHash: oid.slice(0, 7),
    subject: subjectOf(message),
    author: author.name,
    date: agoInWords(author.timestamp, epochSeconds(now)),
  }))
  return { ok: true as const, commits }
}

/** Sorts by committer time, newest first; for equal times, the commit that was found first. */
async function history(repository: Repository, head: string, limit: number): Promise<Commit[]> {
  const read = async (oid: string) =>
    inItsEncoding(await git.readCommit({ ...at, oid }), repository)
  const { git, at } = repository
  const text: unknown = await at.fs.promises.readFile('/.git/shallow', 'utf8').catch(ignoreMissing)
  // The parents of these commits were not fetched.
  const shallow = new Set(String(text ?? '').split('\n'))
  const visited = new Set([head])
  const queue = [await read(head)]
  const found: Commit[] = []
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    found.push(next)
    if (found.length === limit) break
    for (const oid of shallow.has(next.oid) ? [] : next.commit.parent) {
      if (visited.has(oid)) continue
      visited.add(oid)
      const parent = await read(oid)
      const time = timeOf(parent)
      const older = queue.findIndex((one) => timeOf(one) < time)
      queue.splice(older === -1 ? queue.length : older, 0, parent)
    }
  }
  return found
}

const timeOf = ({ commit }: Commit) => commit.committer.timestamp

/** Returns the first paragraph as one line. */
function subjectOf(message: string): string {
  const [first = ''] = message.replace(/^(?:[ \t]*\n)+/, '').split(/\n[ \t]*(?:\n|$)/)
  return first
    .split('\n')
    .map((line) => line.trimEnd())
    .join(' ')
}

/**
 * Decodes a commit's texts by its `encoding` header. The default is UTF-8. As in git, text in an unknown encoding is not
 * decoded.
 */
async function inItsEncoding(found: Commit, { git, at }: Repository): Promise<Commit> {
  const { commit, oid } = found
  const label = 'encoding' in commit ? String(commit.encoding).trim() : 'utf-8'
  const decoder = /^utf-?8$/i.test(label) ? undefined : decoderOf(label)
  if (decoder === undefined) return found
  const { object } = await git.readObject({ ...at, oid, format: 'content' })
  if (!(object instanceof Uint8Array)) return found
  const text = decoder.decode(object)
  const end = text.indexOf('\n\n')
  const name = /^author (.*?) ?</m.exec(text.slice(0, end))?.[1] ?? commit.author.name
  const message = text.slice(end + 2)
  return { ...found, commit: { ...commit, message, author: { ...commit.author, name } } }
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
