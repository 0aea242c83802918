import { createHash, randomBytes } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Message } from '../chat/messages.ts'
import { listNames, present, removeFile } from './files.ts'
import { appendLines, readFirstLine, readLastLines } from './line-file.ts'

/** What was said in one turn: the new messages of the request and the answer to them. */
export interface Turn {
  at: string
  messages: Message[]
  /** The answer broke off: its reader left or the AI gateway did. */
  truncated?: true
  /** The provider accepted the messages before this turn only as plain text, without tool calls. */
  retold?: true
}

export interface Session {
  sessionId: string
  title: string | null
  createdAt: string
}
export interface ListedSession extends Session {
  updatedAt: string
}

/** How many sessions a list names, the newest first. */
const listLimit = 200

/** How much of a session is read back at once. */
const readLimitBytes = 4 * 1_048_576

/** Longest session name, OpenAI's `user` field included. */
export const sessionIdLimit = 256

/**
 * The conversations in `<workspace>/sessions`: one file of JSON lines each, the first naming the
 * session, every other one a turn. File names are digests, since session names come from callers.
 */
export class Sessions {
  readonly #folder: string
  readonly #appends = new Map<string, Promise<void>>()

  constructor(workspace: string) {
    this.#folder = join(workspace, 'sessions')
  }

  /** Opens a session under a new name that sorts by time. */
  async create(title: string | null): Promise<Session> {
    const sessionId = `ses_${Date.now().toString(36).padStart(9, '0')}${randomBytes(10).toString('hex')}`
    const session = { sessionId, title, createdAt: new Date().toISOString() }
    await mkdir(this.#folder, { recursive: true })
    await appendLines(this.#path(sessionId), [], session)
    return session
  }

  /** Adds a turn; the session begins with it when there was none of that name. */
  async append(sessionId: string, turn: Turn): Promise<void> {
    const path = this.#path(sessionId)
    const before = this.#appends.get(path) ?? mkdir(this.#folder, { recursive: true })
    const first: Session = { sessionId, title: null, createdAt: turn.at }
    const append = before.then(() => appendLines(path, [turn], first))
    const settled = append.catch(() => {})
    this.#appends.set(path, settled)
    await append.finally(() => {
      if (this.#appends.get(path) === settled) this.#appends.delete(path)
    })
  }

  /** The session's latest turns, the oldest of them first, as many as fit in `bytes`. */
  async turns(sessionId: string, bytes: number = readLimitBytes): Promise<Turn[]> {
    const lines = await readLastLines(this.#path(sessionId), bytes)
    return lines.filter(isTurn)
  }

  /** @returns undefined for an unknown session */
  async find(sessionId: string): Promise<Session | undefined> {
    const line = await readFirstLine(this.#path(sessionId))
    return isSession(line) ? line : undefined
  }

  /** The most recently used sessions, the newest first, and how many there are. */
  async list(): Promise<{ sessions: ListedSession[]; count: number }> {
    const names = (await listNames(this.#folder)).filter((name) => name.endsWith('.jsonl'))
    const paths = names.map((name) => join(this.#folder, name))
    const used = await Promise.all(
      paths.map(async (path) => ({ path, at: (await present(stat(path)))?.mtime })),
    )
    const newest = used
      .flatMap(({ path, at }) => (at === undefined ? [] : [{ path, at }]))
      .sort((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, listLimit)
    const listed = await Promise.all(
      newest.map(async ({ path, at }) => {
        const line = await readFirstLine(path)
        return isSession(line) ? [{ ...line, updatedAt: at.toISOString() }] : []
      }),
    )
    return { sessions: listed.flat(), count: names.length }
  }

  /** @returns false when there was no such session */
  remove(sessionId: string): Promise<boolean> {
    return removeFile(this.#path(sessionId))
  }

  /** Forgets every conversation. @returns how many there were */
  async reset(): Promise<number> {
    const names = (await listNames(this.#folder)).filter((name) => name.endsWith('.jsonl'))
    const removed = await Promise.all(names.map((name) => removeFile(join(this.#folder, name))))
    return removed.filter(Boolean).length
  }

  #path(sessionId: string): string {
    return join(this.#folder, `${createHash('sha256').update(sessionId).digest('hex')}.jsonl`)
  }
}

function isTurn(line: unknown): line is Turn {
  return typeof line === 'object' && line !== null && 'messages' in line
}

function isSession(line: unknown): line is Session {
  return typeof line === 'object' && line !== null && 'sessionId' in line
}
