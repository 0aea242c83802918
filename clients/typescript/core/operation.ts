import type { Operations } from '../generated/types.ts'
import type { RequestOptions } from './options.ts'

/** Method and path, as the API's document has them: `GET /api/agents/{id}`. */
export type Operation = keyof Operations

type Having<K extends string> = {
  [N in Operation]: K extends keyof Operations[N] ? N : never
}[Operation]

/** Operations that take an Idempotency-Key. */
export type IdempotentOperation = Having<'idempotent'>
/** Operations that take nothing beside what is in their path. */
export type PlainOperation = Exclude<Operation, Having<'query' | 'body'>>
export type QueryOperation = Exclude<Having<'query'>, Having<'body'>>
export type BodyOperation = Exclude<Having<'body'>, Having<'query'>>
/** Operations that answer a file. */
export type FileOperation = {
  [N in Operation]: AnswerOf<N> extends ArrayBuffer ? N : never
}[Operation]

/** What an operation takes. */
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
/** A field of its answer, or none. */
export type FieldOf<N extends Operation> = keyof AnswerOf<N> | undefined
/** A field of its answer; all of it without one. */
export type Opened<N extends Operation, K> = K extends keyof AnswerOf<N>
  ? AnswerOf<N>[K]
  : AnswerOf<N>
/** The body's media type, where it is no JSON. */
export type TypeOf<N extends Operation> = Operations[N] extends { type: infer T extends string }
  ? [type: T]
  : []

/** What a method takes for an operation: what stands in its path, by name and in order; its body or query; options. */
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
