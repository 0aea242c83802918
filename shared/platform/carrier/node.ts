/** What the platform asks of what carries it: Node's answers, on Lambda and on one machine. */

interface Account {
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
}

/** Where and as whom clients of AWS ask, where the SDK does not find it in the environment itself. */
export const awsAccount: Partial<Account> = {}

/** Says that work goes on which no answer waits for. Here it does by itself. */
export function carryOn(_work: Promise<unknown>): void {}
