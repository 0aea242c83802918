import type * as z from 'zod'

/** One call of the public API of the web surface. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  body?: object
  /** Of a chat that is streamed: how long its answer is waited for, in milliseconds. */
  waitMs?: number
}

export type ApiBody = Record<string, unknown>

/**
 * The API, as a caller who shows their key or token: the only thing that tools stand on.
 * @throws Refusal in the API's words, Overdue where an answer takes longer than `waitMs`
 */
export type AskApi = (request: ApiRequest) => Promise<ApiBody>

/** The API refused; its message is meant for the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The API's refusal in one sentence, with its code where it has one. */
export function refusalOf(message: string, code: string | undefined): Refusal {
  return new Refusal(code === undefined ? message : `${message} (${code})`)
}

/** Milliseconds that a call of the API may take; programs give a tool a minute. A chat says itself how long it is waited for. */
export const longestCallMs = 55_000

/** An answer takes longer than was to be waited; the work goes on. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/** What a tool does to the user's things: `chat` has an agent answer, `write` changes something. */
export type ToolKind = 'read' | 'chat' | 'write'

/** @typeParam On what its calls are given: the API unless said otherwise */
export interface Tool<On = AskApi> {
  name: string
  title: string
  description: string
  kind: ToolKind
  /** Takes something away that the user may miss. */
  destructive?: true
  input: z.ZodObject
  output: z.ZodObject
  call(on: On, input: never): Promise<ApiBody>
}

/** Declares a tool over the API, whose call is given what its input's schema makes of what came. */
export const tool = toolOn<AskApi>()

/** Makes `tool` for tools over something else. */
export function toolOn<On>() {
  return <Input extends z.ZodObject>(
    declared: Omit<Tool<On>, 'call' | 'input'> & {
      input: Input
      call: (on: On, input: z.output<Input>) => Promise<ApiBody>
    },
  ): Tool<On> => declared
}
