import { quotePath } from '../quote-path.ts'
import { hunksOf } from './hunks.ts'
import { modes } from './work-file.ts'

/** One side of a file comparison. */
export interface Side {
  mode: number
  oid: string
  content: Buffer
}

/** The bytes that are searched for a zero byte, as in git. */
const lookedAt = 8000

/** Returns the output of `git diff` for a file. Bytes are Latin-1, so that no byte is lost. */
export function patchOf(path: string, before: Side | undefined, after: Side | undefined): string {
  // A file that became a link counts as another file.
  if (before && after && (before.mode & 0o170000) !== (after.mode & 0o170000))
    return patchOf(path, before, undefined) + patchOf(path, undefined, after)
  return headOf(path, before, after) + bodyOf(path, before, after)
}

function headOf(path: string, before: Side | undefined, after: Side | undefined): string {
  const lines = [`diff --git ${quotePath(`a/${path}`)} ${quotePath(`b/${path}`)}`]
  if (before === undefined) lines.push(`new file mode ${octal(after)}`)
  else if (after === undefined) lines.push(`deleted file mode ${octal(before)}`)
  else if (before.mode !== after.mode)
    lines.push(`old mode ${octal(before)}`, `new mode ${octal(after)}`)
  if (before?.oid !== after?.oid) {
    const same = before?.mode === after?.mode ? ` ${octal(before)}` : ''
    lines.push(`index ${short(before)}..${short(after)}${same}`)
  }
  return `${lines.join('\n')}\n`
}

function bodyOf(path: string, before: Side | undefined, after: Side | undefined): string {
  if (before?.oid === after?.oid) return ''
  const [old, fresh] = [before?.content ?? Buffer.alloc(0), after?.content ?? Buffer.alloc(0)]
  const [from, to] = [
    before === undefined ? '/dev/null' : quotePath(`a/${path}`),
    after === undefined ? '/dev/null' : quotePath(`b/${path}`),
  ]
  if (isBinary(old) || isBinary(fresh)) return `Binary files ${from} and ${to} differ\n`
  const hunks = hunksOf(old.toString('latin1'), fresh.toString('latin1'))
  if (hunks === '') return ''
  // A tab ends a name with spaces for patch(1).
  const end = (side: string) => (side !== '/dev/null' && path.includes(' ') ? '\t' : '')
  return `--- ${from}${end(from)}\n+++ ${to}${end(to)}\n${hunks}`
}

/** Returns the text that represents a submodule's commit in a comparison. */
export function commitContent(oid: string): Buffer {
  return Buffer.from(`Subproject commit ${oid}\n`)
}

export function isCommit({ mode }: { mode: number }): boolean {
  return mode === modes.commit
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, lookedAt).includes(0)
}

const octal = (side: Side | undefined) => (side?.mode ?? 0).toString(8).padStart(6, '0')
const short = (side: Side | undefined) => (side?.oid ?? '0'.repeat(40)).slice(0, 7)
