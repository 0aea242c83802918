/** What the platform asks of what carries it: Node's answers, on Lambda and on one machine. */

const place = Symbol.for('agent-platform.database')

interface Account {
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
}

/** Where and as whom clients of AWS ask, where the SDK does not find it in the environment itself. */
export const awsAccount: Partial<Account> = {}

/** DynamoDB's API without its wire: an operation's input and what it answers, an error too, as JSON text. */
export type AskDatabase = (
  operation: string,
  input: string,
) => Promise<{ status: number; body: string }>

/** The way to the database where it runs in the same process: the local stack puts it there before it loads a function. */
export const askDatabase = (globalThis as { [place]?: AskDatabase })[place]

/** Says that work goes on which no answer waits for. Here it does by itself. */
export function carryOn(_work: Promise<unknown>): void {}

/** Whether an object may pass for a Response that has only some of its members. workerd reads its own alone. */
export const takesLightAnswers: boolean = true
