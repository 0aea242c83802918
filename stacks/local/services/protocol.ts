import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import type { DatabaseAnswer } from '../functions/protocol.ts'

/** The parameters of a service's thread. */
export interface ServiceData {
  name: string
  /** Absolute path of its program. */
  bundle: string
  /** The port to listen on; 0 picks a free one. */
  port: number
  /** The surface that this service is in front of. Without it, the service handles all its requests itself. */
  inFrontOf?: {
    /** The functions of the surface, to find the function of a path. */
    functions: readonly Pick<FunctionSpec, 'name' | 'trigger'>[]
    surface: Surface
    /** The port that answers all other paths. */
    beyond: number
    /** ORIGIN_SECRET. */
    originSecret: string
  }
  cacheDir: string
  /** True if the service can ask the embedded database in the host's process. */
  database: boolean
}

export type ToService =
  /** The whole environment of the function, in response to `load`. */
  | { kind: 'environment'; values: Record<string, string> }
  /** The database's answers by the id of the question. */
  | { kind: 'answers'; answers: { id: number; answer: DatabaseAnswer }[] }
  | { kind: 'close'; graceMs: number }

/** Each message from the thread is a list of these (`gather`). */
export type FromService =
  | { kind: 'listening'; port: number }
  | { kind: 'cannot-listen'; code: string }
  /** The first request has arrived. */
  | { kind: 'load' }
  | { kind: 'ask'; id: number; operation: string; input: string }
  | { kind: 'output'; text: string }
  | { kind: 'closed' }

/** The exports of a service's program: shared/http/server/handler.ts. */
export interface ServiceHandler {
  handle(message: IncomingMessage, out: ServerResponse): void
  finish(graceMs: number): Promise<unknown>
}
