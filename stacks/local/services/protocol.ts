import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FunctionSpec, Surface } from '../../../shared/manifest/index.ts'
import type { DatabaseAnswer } from '../functions/protocol.ts'

/** What a service's thread is started with. */
export interface ServiceData {
  name: string
  /** Absolute path of its program. */
  bundle: string
  /** Where it listens; 0 picks a free port. */
  port: number
  /** A surface that it stands in front of; without one all that it is asked is its own. */
  inFrontOf?: {
    /** What the surface's paths belong to. */
    functions: readonly Pick<FunctionSpec, 'name' | 'trigger'>[]
    surface: Surface
    /** The port of what answers all other paths. */
    beyond: number
    /** ORIGIN_SECRET. */
    originSecret: string
  }
  cacheDir: string
  /** Whether the embedded database is in the host's process, and this function may ask it. */
  database: boolean
}

export type ToService =
  /** The function's whole environment, which it asked for. */
  | { kind: 'environment'; values: Record<string, string> }
  /** The database's answers, by the ids of their questions. */
  | { kind: 'answers'; answers: { id: number; answer: DatabaseAnswer }[] }
  | { kind: 'close'; graceMs: number }

/** Each message of the thread is a list of these (`gather`). */
export type FromService =
  | { kind: 'listening'; port: number }
  | { kind: 'cannot-listen'; code: string }
  /** Its first request is there. */
  | { kind: 'load' }
  | { kind: 'ask'; id: number; operation: string; input: string }
  | { kind: 'output'; text: string }
  | { kind: 'closed' }

/** What a service's program exports: shared/http/server/handler.ts. */
export interface ServiceHandler {
  handle(message: IncomingMessage, out: ServerResponse): void
  finish(graceMs: number): Promise<unknown>
}
