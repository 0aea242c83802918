import type * as z from 'zod'

/** One call of the web surface's public API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  body?: object
  /** The content of a file, in place of a JSON body. */
  text?: string
  /** For a streamed chat: the maximum wait for its answer, in milliseconds. */
  waitMs?: number
}

export type ApiBody = Record<string, unknown>

/**
 * Calls the API with the caller's key or token. It is the only dependency of tools.
 * @throws ToolRefusal with the API's message, ToolTimeout if an answer takes longer than `waitMs`
 */
export type AskApi = (request: ApiRequest) => Promise<ApiBody>

/** The API refused; its message is meant for the caller. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal'
}

/** Returns the body of a response that is a file. Bytes that are not UTF-8 become U+FFFD. */
export function fileBody(bytes: ArrayBuffer): ApiBody {
  return { text: new TextDecoder().decode(bytes) }
}

/** Returns the refusal of a response that redirects: the API returns a link to a large file. */
export function fileTooLarge(): ToolRefusal {
  return new ToolRefusal('The file is larger than 4 MiB; a tool cannot read it')
}

/** Returns the API's refusal in one sentence, with its code, if any. */
export function refusalOf(message: string, code: string | undefined): ToolRefusal {
  return new ToolRefusal(code === undefined ? message : `${message} (${code})`)
}

/** The timeout of an API call in milliseconds: programs wait a minute for a tool. Chats set their own timeout. */
export const longestCallMs = 55_000

/** The answer takes longer than the wait; the work continues. */
export class ToolTimeout extends Error {
  override readonly name = 'ToolTimeout'
}

/** The effect of a tool: `chat` makes an agent answer, `write` changes something. */
export type ToolKind = 'read' | 'chat' | 'write'

/** @typeParam On the first argument of its calls. Default: the API */
export interface Tool<On = AskApi> {
  name: string
  title: string
  description: string
  kind: ToolKind
  /** Deletes something that the user may need. */
  destructive?: true
  input: z.ZodObject
  output: z.ZodObject
  call(on: On, input: never): Promise<ApiBody>
}

/** Declares a tool over the API; its call gets the parsed input. */
export const tool = toolOn<AskApi>()

/** Returns `tool` for tools with another dependency. */
export function toolOn<On>() {
  return <Input extends z.ZodObject>(
    declared: Omit<Tool<On>, 'call' | 'input'> & {
      input: Input
      call: (on: On, input: z.output<Input>) => Promise<ApiBody>
    },
  ): Tool<On> => declared
}
