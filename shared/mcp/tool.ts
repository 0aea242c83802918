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

/** An answer takes longer than was to be waited; the work goes on. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/** What a tool does to the user's things: `chat` has an agent answer, `write` changes something. */
export type ToolKind = 'read' | 'chat' | 'write'

export interface Tool {
  name: string
  title: string
  description: string
  kind: ToolKind
  /** Takes something away that the user may miss. */
  destructive?: true
  input: z.ZodObject
  output: z.ZodObject
  call(ask: AskApi, input: never): Promise<ApiBody>
}

/** Declares a tool, whose call is given what its input's schema makes of what came. */
export function tool<Input extends z.ZodObject>(
  declared: Omit<Tool, 'call' | 'input'> & {
    input: Input
    call: (ask: AskApi, input: z.output<Input>) => Promise<ApiBody>
  },
): Tool {
  return declared
}
