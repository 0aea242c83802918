import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { Conversations } from '../../gateway/routes/sessions.ts'
import type { ListedSession, Session, SessionTurn } from '../../gateway/workspace/sessions.ts'
import { type Call, withRpc } from './rpc.ts'

/** The prefix of OpenClaw's key for the conversation in a chat's `user` field: its docs, gateway/openai-http-api. */
const prefix = 'agent:main:openai-user:'

/** The maximum number of sessions in a list (newest first), and of messages that are read from a session. */
const limits = { sessions: 200, messages: 1000 }

interface Row {
  key: string
  updatedAt?: number
  createdAt?: number
  placement?: { createdAtMs?: number }
  displayName?: string
}

interface Said {
  role?: unknown
  content?: unknown
  timestamp?: number
}

/**
 * The conversations in OpenClaw, in the format of the agent's gateway. OpenClaw ignores the case of their names, and a
 * conversation exists from its first message on.
 */
export class OpenclawConversations implements Conversations {
  readonly #openclaw: { port: number; token: string }
  readonly #stateDir: string

  constructor(openclaw: { port: number; token: string; stateDir: string }) {
    this.#openclaw = openclaw
    this.#stateDir = openclaw.stateDir
  }

  /** Creates the id of a conversation, which begins with its first message. */
  async create(title: string | null): Promise<Session> {
    const sessionId = `ses_${Date.now().toString(36).padStart(9, '0')}${randomBytes(10).toString('hex')}`
    const displayName = title === null ? {} : { displayName: title }
    await this.#ask((call) => call('sessions.create', { key: prefix + sessionId, ...displayName }))
    return { sessionId, title, createdAt: new Date().toISOString() }
  }

  async list(): Promise<{ sessions: ListedSession[]; count: number }> {
    const rows = await this.#ask(listRows)
    return { sessions: rows.slice(0, limits.sessions).map(toSession), count: rows.length }
  }

  async find(sessionId: string): Promise<Session | undefined> {
    const key = keyOf(sessionId)
    const row = (await this.#ask(listRows)).find((each) => each.key === key)
    return row && toSession(row)
  }

  async turns(sessionId: string): Promise<SessionTurn[]> {
    const params = { sessionKey: keyOf(sessionId), limit: limits.messages }
    const { messages } = (await this.#ask((call) => call('chat.history', params))) as {
      messages: Said[]
    }
    return messages.flatMap(toTurn)
  }

  async remove(sessionId: string): Promise<boolean> {
    return this.#ask((call) => this.#delete(call, keyOf(sessionId)))
  }

  async reset(): Promise<number> {
    return this.#ask(async (call) => {
      let removed = 0
      for (const { key } of await listRows(call)) removed += (await this.#delete(call, key)) ? 1 : 0
      return removed
    })
  }

  #ask<T>(work: (call: Call) => Promise<T>): Promise<T> {
    return withRpc(this.#openclaw, work)
  }

  /** Deletes a conversation and the copy that OpenClaw archives: a deleted conversation must be gone. */
  async #delete(call: Call, key: string): Promise<boolean> {
    const { deleted, archived = [] } = (await call('sessions.delete', {
      key,
      deleteTranscript: true,
    })) as { deleted?: boolean; archived?: string[] }
    const inside = archived.filter((path) =>
      resolve(path).startsWith(resolve(this.#stateDir) + sep),
    )
    await Promise.all(inside.map((path) => rm(path, { force: true })))
    return deleted === true
  }
}

function keyOf(sessionId: string): string {
  return prefix + sessionId.toLowerCase()
}

async function listRows(call: Call): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = { limit: limits.sessions, offset: rows.length }
    const { sessions } = (await call('sessions.list', page)) as { sessions: Row[] }
    rows.push(...sessions)
    if (sessions.length < limits.sessions) break
  }
  return rows.filter(({ key }) => key.startsWith(prefix))
}

function toSession({ key, displayName, ...at }: Row): ListedSession {
  const updatedAt = at.updatedAt ?? 0
  return {
    sessionId: key.slice(prefix.length),
    title: displayName ?? null,
    createdAt: new Date(at.createdAt ?? at.placement?.createdAtMs ?? updatedAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}

/** Returns messages of people and of the agent. Tool calls and results are left out. */
function toTurn({ role, content, timestamp = 0 }: Said): SessionTurn[] {
  if (role !== 'user' && role !== 'assistant') return []
  const text = typeof content === 'string' ? content : textOf(content)
  const at = new Date(timestamp).toISOString()
  return text === '' ? [] : [{ at, messages: [{ role, content: text }] }]
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .filter((part) => typeof part === 'object' && part !== null && part.type === 'text')
    .map((part) => String(part.text))
    .join('')
}
