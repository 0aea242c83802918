import * as z from 'zod'
import { notConfigured } from '#shared/platform/errors.ts'
import { exchange, type Rpc, unreachable } from './client.ts'

/** A call of a node, with the schema of its result. */
export interface RpcCall<T> {
  method: string
  params: readonly unknown[]
  form: z.ZodType<T>
}

/** The node's error message for one call. It must not be logged or shown, because it may contain the node's URL. */
export interface RpcRefusal {
  refused: string
}

type AnswersOf<Questions extends readonly RpcCall<unknown>[]> = {
  -readonly [I in keyof Questions]: Questions[I] extends RpcCall<infer T>
    ? { result: T } | RpcRefusal
    : never
}

type ResultsOf<Questions extends readonly RpcCall<unknown>[]> = {
  -readonly [I in keyof Questions]: Questions[I] extends RpcCall<infer T> ? T : never
}

/** The maximum number of calls in a batch: the lowest limit of Base's providers for paying customers. */
export const maxBatchSize = 100

/** A number in JSON-RPC's form. */
export const quantity = () =>
  z
    .string()
    .regex(/^0x[0-9a-f]{1,64}$/i)
    .transform((text) => BigInt(text))

/** 32 bytes, in lower case. */
export const word = () =>
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/i)
    .transform((text) => text.toLowerCase())

/** An address, in lower case. */
export const account = () =>
  z
    .string()
    .regex(/^0x[0-9a-f]{40}$/i)
    .transform((text) => text.toLowerCase())

/**
 * Sends several calls to a node in one JSON-RPC batch; more than a hundred take several batches. Each call succeeds or
 * fails on its own.
 * @param batchSize the number of calls in a batch, if a hundred results would exceed the response limit
 * @throws PlatformError 503 if the node cannot be reached, or a result does not match its schema
 */
export async function askEach<const Questions extends readonly RpcCall<unknown>[]>(
  { url, setting }: Rpc,
  questions: Questions,
  batchSize = maxBatchSize,
): Promise<AnswersOf<Questions>> {
  if (url === undefined) throw notConfigured('Reading the chain', [setting])
  const answers: ({ result: unknown } | RpcRefusal)[] = []
  for (let from = 0; from < questions.length; from += batchSize)
    answers.push(...(await sendBatch(url, questions.slice(from, from + batchSize))))
  return answers as AnswersOf<Questions>
}

/** Sends several calls as `askEach` does, if no call may fail. @throws PlatformError 503 for a failed call too */
export async function askAll<const Questions extends readonly RpcCall<unknown>[]>(
  rpc: Rpc,
  questions: Questions,
  batchSize = maxBatchSize,
): Promise<ResultsOf<Questions>> {
  const answers: readonly ({ result: unknown } | RpcRefusal)[] = await askEach(
    rpc,
    questions,
    batchSize,
  )
  return answers.map((answer, i) => {
    if ('result' in answer) return answer.result
    throw unreachable(new Error(`the node refused ${questions[i]?.method}`))
  }) as ResultsOf<Questions>
}

const batch = () =>
  z.array(
    z.object({
      id: z.number(),
      result: z.unknown().optional(),
      // Some nodes add an empty error to a result.
      error: z.object({ message: z.string() }).nullish(),
    }),
  )

async function sendBatch(
  url: string,
  questions: readonly RpcCall<unknown>[],
): Promise<({ result: unknown } | RpcRefusal)[]> {
  const calls = questions.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const answered = new Map((await exchange(url, calls, batch())).map((one) => [one.id, one]))
  return questions.map(({ method, form }, id) => {
    const answer = answered.get(id)
    if (answer?.error) return { refused: answer.error.message }
    const result = form.safeParse(answer?.result)
    if (result.success) return { result: result.data }
    throw unreachable(new Error(`the node’s answer to ${method} is invalid`))
  })
}
