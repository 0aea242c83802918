import { functions } from '#shared/manifest/index.ts'

/** All schedules with their interval. */
export const schedules = functions.flatMap((spec) =>
  spec.trigger.kind === 'schedule' ? [{ ...spec, everyMinutes: spec.trigger.everyMinutes }] : [],
)
