/** The carrier interface on Node: Lambda and one machine. */

const place = Symbol.for('agent-platform.database')

export { credentials, region } from './account.ts'

/**
 * DynamoDB's API without HTTP: takes an operation and its input, and returns the output or the error, as JSON text.
 */
export type AskDatabase = (
  operation: string,
  input: string,
) => Promise<{ status: number; body: string }>

/** The database, if it runs in the same process. The local stack sets it before it loads a function. */
export const askDatabase = (globalThis as { [place]?: AskDatabase })[place]

/** Registers work that continues after the response. Node finishes it without further measures. */
export function runInBackground(_work: Promise<unknown>): void {}

/** True if the carrier accepts an object with only some members of a Response. workerd accepts real Responses only. */
export const takesLightAnswers: boolean = true
