import { PlatformError } from '../errors.ts'
import type { Origin } from '../queues/port.ts'
import type { Invoke } from './lambda.ts'
import { answerMessage, type CallMessage } from './messages.ts'
import type { ClientOf, Procedures } from './procedures.ts'

/**
 * Returns a client of another function's procedures. Each call contains the id of the request that caused it. Inputs
 * are validated before they are sent, outputs before they are returned.
 */
export function procedureClient<const Declared extends Procedures>(
  declared: Declared,
  invoke: Invoke,
): (origin: Origin) => ClientOf<Declared> {
  return (origin) => {
    const methods = Object.entries(declared).map(([name, procedure]) => [
      name,
      async (input: unknown) => {
        const call: CallMessage = {
          procedure: name,
          input: procedure.input().parse(input),
          requestId: origin.requestId,
          askedBy: origin.askedBy,
        }
        const answer = answerMessage().parse(await invoke(call))
        if ('answer' in answer) return procedure.answer().parse(answer.answer)
        const { kind, message, code, ...rest } = answer.refusal
        throw new PlatformError(kind, message, { ...rest, ...(code !== undefined && { code }) })
      },
    ])
    return Object.fromEntries(methods) as ClientOf<Declared>
  }
}
