import type { Operations } from '../generated/types.ts'
import type { RequestOptions } from './options.ts'

/** A method and path of the API document, such as `GET /api/agents/{id}`. */
export type Operation = keyof Operations

type Having<K extends string> = {
  [N in Operation]: K extends keyof Operations[N] ? N : never
}[Operation]

/** Operations that accept an Idempotency-Key header. */
export type IdempotentOperation = Having<'idempotent'>
/** Operations that take path parameters only. */
export type PlainOperation = Exclude<Operation, Having<'query' | 'body'>>
export type QueryOperation = Exclude<Having<'query'>, Having<'body'>>
export type BodyOperation = Exclude<Having<'body'>, Having<'query'>>
/** Operations that return a file. */
export type FileOperation = {
  [N in Operation]: AnswerOf<N> extends ArrayBuffer ? N : never
}[Operation]

/** The parameters, query and body of an operation. */
export type InputOf<N extends Operation> = Omit<
  Operations[N],
  'answer' | 'events' | 'idempotent' | 'path' | 'type'
> & {
  type?: string
}
export type BodyOf<N extends Operation> = Operations[N] extends { body?: infer B }
  ? NonNullable<B>
  : never
export type QueryOf<N extends Operation> = Operations[N] extends { query?: infer Q }
  ? NonNullable<Q>
  : never
export type AnswerOf<N extends Operation> = Operations[N]['answer']
/** A field of the response, or undefined. */
export type FieldOf<N extends Operation> = keyof AnswerOf<N> | undefined
/** The type of a response field, or of the whole response. */
export type Opened<N extends Operation, K> = K extends keyof AnswerOf<N>
  ? AnswerOf<N>[K]
  : AnswerOf<N>
/** The media type of the body, if it is not JSON. */
export type TypeOf<N extends Operation> = Operations[N] extends { type: infer T extends string }
  ? [type: T]
  : []

/** The arguments of an operation's method: path parameters by name and in order, body or query, options. */
export type Arguments<N extends Operation> = [
  ...(Operations[N] extends { path: infer P extends unknown[] } ? P : []),
  ...('query' extends keyof Operations[N]
    ? undefined extends Operations[N]['query']
      ? [query?: QueryOf<N>]
      : [query: QueryOf<N>]
    : []),
  ...('body' extends keyof Operations[N]
    ? undefined extends Operations[N]['body']
      ? [body?: BodyOf<N>]
      : [body: BodyOf<N>]
    : []),
  options?: RequestOptions,
]
