import { createHash, randomBytes } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Message } from '../chat/messages.ts'
import { listNames, ifExists, removeFile } from './files.ts'
import { appendLines, readFirstLine, readLastLines } from './line-file.ts'

/** One turn: the new messages of the request and the reply. */
export interface SessionTurn {
  at: string
  messages: Message[]
  /** The reply is incomplete, because the reader or the AI gateway disconnected. */
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

/** The maximum number of sessions in a list, newest first. */
const listLimit = 200

/** The maximum size of a session that is read as a whole. */
const readLimitBytes = 4 * 1_048_576

/** The maximum length of a session's name, including OpenAI's `user` field. */
export const sessionIdLimit = 256

/**
 * The conversations in `<workspace>/sessions`: one JSON Lines file each. The first line names the session, every other
 * line is a turn. File names are digests, because callers choose the names of sessions.
 */
export class Sessions {
  readonly #folder: string
  readonly #appends = new Map<string, Promise<void>>()

  constructor(workspace: string) {
    this.#folder = join(workspace, 'sessions')
  }

  /** Creates a session with a new id that sorts by time. */
  async create(title: string | null): Promise<Session> {
    const sessionId = `ses_${Date.now().toString(36).padStart(9, '0')}${randomBytes(10).toString('hex')}`
    const session = { sessionId, title, createdAt: new Date().toISOString() }
    await mkdir(this.#folder, { recursive: true })
    await appendLines(this.#path(sessionId), [], session)
    return session
  }

  /** Appends a turn. Creates the session if it does not exist. */
  async append(sessionId: string, turn: SessionTurn): Promise<void> {
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

  /** Returns the session's latest turns that fit in `bytes`, oldest first. */
  async turns(sessionId: string, bytes: number = readLimitBytes): Promise<SessionTurn[]> {
    const lines = await readLastLines(this.#path(sessionId), bytes)
    return lines.filter(isTurn)
  }

  /** @returns undefined if the session does not exist */
  async find(sessionId: string): Promise<Session | undefined> {
    const line = await readFirstLine(this.#path(sessionId))
    return isSession(line) ? line : undefined
  }

  /** Returns the most recently used sessions, newest first, and the number of all sessions. */
  async list(): Promise<{ sessions: ListedSession[]; count: number }> {
    const names = (await listNames(this.#folder)).filter((name) => name.endsWith('.jsonl'))
    const paths = names.map((name) => join(this.#folder, name))
    const used = await Promise.all(
      paths.map(async (path) => ({ path, at: (await ifExists(stat(path)))?.mtime })),
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

  /** @returns false if the session does not exist */
  remove(sessionId: string): Promise<boolean> {
    return removeFile(this.#path(sessionId))
  }

  /** Deletes all conversations. @returns how many */
  async reset(): Promise<number> {
    const names = (await listNames(this.#folder)).filter((name) => name.endsWith('.jsonl'))
    const removed = await Promise.all(names.map((name) => removeFile(join(this.#folder, name))))
    return removed.filter(Boolean).length
  }

  #path(sessionId: string): string {
    return join(this.#folder, `${createHash('sha256').update(sessionId).digest('hex')}.jsonl`)
  }
}

function isTurn(line: unknown): line is SessionTurn {
  return typeof line === 'object' && line !== null && 'messages' in line
}

function isSession(line: unknown): line is Session {
  return typeof line === 'object' && line !== null && 'sessionId' in line
}
