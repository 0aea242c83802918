import type { Config } from '#shared/platform/config/load.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { PlatformActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { type AnswerMessage, callMessage } from '#shared/platform/procedures/messages.ts'
import type { AnswerOf, InputOf, Procedures } from '#shared/platform/procedures/procedures.ts'
import type { ServicesOf, Wire } from './wire.ts'

/** The exports of each module in functions/invoked/. */
export interface ProcedureModule<Services, Settings> {
  procedures: Carried<Services>
  wire: Wire<Settings, Services>
}

interface Carried<Services> {
  declared: Procedures
  handlers: Readonly<
    Record<
      string,
      (
        ctx: Pick<Context<PlatformActor>, 'actor' | 'log' | 'requestId' | 'seed'> & Services,
        input: never,
      ) => Promise<unknown>
    >
  >
}

/** Use as `proceduresWith<typeof wire>()(declared, { … })`: implements each procedure of a declaration. */
export function proceduresWith<W extends Wire<never>>() {
  return <const Declared extends Procedures>(
    declared: Declared,
    handlers: {
      [Name in keyof Declared]: (
        ctx: Pick<Context<PlatformActor>, 'actor' | 'log' | 'requestId' | 'seed'> & ServicesOf<W>,
        input: InputOf<Declared[Name]>,
      ) => Promise<AnswerOf<Declared[Name]>>
    },
  ) => ({ declared, handlers })
}

/**
 * Returns the Lambda handler of a function with procedures. It logs one line per call, without the input. A
 * PlatformError is returned to the caller; any other error fails the function.
 */
export function proceduresHandler<Services, Settings>(
  { procedures: { declared, handlers }, wire }: ProcedureModule<Services, Settings>,
  config: Settings & Pick<Config, 'FUNCTION_NAME'>,
) {
  const { services } = wire(config)
  return async (event: unknown): Promise<AnswerMessage> => {
    const started = performance.now()
    const { procedure: name, input, requestId, askedBy } = callMessage().parse(event)
    const log = createLog({ function: config.FUNCTION_NAME, requestId, actor: askedBy })
    const figures = () => ({ procedure: name, ms: Math.round(performance.now() - started) })
    try {
      const procedure = declared[name]
      const handle = handlers[name]
      if (procedure === undefined || handle === undefined)
        throw new TypeError(`${config.FUNCTION_NAME} has no procedure ${name}`)
      const actor = { type: 'platform', askedBy } as const
      const ctx = { ...services, actor, log, requestId, seed: newSeed() }
      const answer = await handle(ctx, procedure.input().parse(input) as never)
      log.info('called', figures())
      return { answer: procedure.answer().parse(answer) }
    } catch (error) {
      if (error instanceof PlatformError) {
        const { kind, message, code, details, headers, cause } = error
        log.info('refused', { ...figures(), kind, code, cause })
        return { refusal: { kind, message, code, details, headers } }
      }
      log.error('failed', { ...figures(), error })
      // Rethrown, so that the alarm on the function's errors counts it.
      throw error
    }
  }
}
