import { join } from 'node:path'
import { sweepMinutes } from '#shared/agents/fleet/watchdog/sweep.ts'
import { localCredentials } from '#stacks/local/clients/credentials.ts'
import { functionEnvironment } from '#stacks/local/functions/environment.ts'
import { startFunctionHost } from '#stacks/local/functions/host.ts'
import { testAccessKey } from '#tests/support/platform/credentials.ts'
import { schedules } from '../schedules.ts'
import type { MeteredStack, Units } from './platform.ts'

/** The mean consumption of an idle tick. */
export interface TickUnits extends Units {
  /** The custom metrics that even an idle tick sends. Each is a separate one in CloudWatch. */
  metrics: number
}

/** The first ticks on a new table may have work: maintenance adds up the past year, 31 days at a time. */
const maxToCatchUp = 20

/** A log line with metrics in CloudWatch's embedded format. */
interface Line {
  _aws?: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] }
}

/**
 * Runs every schedule for some minutes on an empty table. Sets the name of a stage, because functions send no metrics on
 * one machine.
 */
export async function measureTicks(metered: MeteredStack): Promise<Record<string, TickUnits>> {
  const { stack, bundles } = metered
  const sent = new Map(schedules.map(({ name }) => [name, new Set<string>()]))
  // Without a payment provider, which the reconciliation would call.
  const { PAYMENTS_SECRET_KEY: _, ...values } = metered.secrets
  const platform = {
    ...stack,
    bundles,
    credentials: localCredentials(testAccessKey),
    values,
    objectLinksKey: '',
  }
  const host = await startFunctionHost({
    functions: schedules,
    bundles,
    cacheDir: join(stack.dataDir, 'ticks'),
    environmentOf: (spec) => ({ ...functionEnvironment(spec, platform), PLATFORM_STAGE: 'costs' }),
    onLine: (name, line) => {
      for (const metric of metricsOf(line)) sent.get(name)?.add(metric)
    },
  })
  try {
    const units: Record<string, TickUnits> = {}
    for (const { name, everyMinutes } of schedules) {
      let ran = 0
      const tick = () => {
        const time = new Date(ran++ * everyMinutes * 60_000).toISOString()
        return metered.measure(() => host.invoke(name, { time }))
      }
      for (let n = 0; n < maxToCatchUp; n++) if ((await tick()).writes === 0) break
      // The watchdog sweeps rows in one of several ticks, so the mean over all of them is used, for the other schedules too.
      const sum: Units = { reads: 0, writes: 0 }
      for (let n = 0; n < sweepMinutes; n++) {
        const { reads, writes } = await tick()
        sum.reads += reads
        sum.writes += writes
      }
      const metrics = sent.get(name)?.size ?? 0
      units[name] = { reads: sum.reads / sweepMinutes, writes: sum.writes / sweepMinutes, metrics }
    }
    return units
  } finally {
    await host.close()
  }
}

function metricsOf(line: string): string[] {
  if (!line.startsWith('{')) return []
  const { _aws } = JSON.parse(line) as Line
  return (_aws?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap((by) => Metrics.map(({ Name }) => `${Name} by ${by.join()}`)),
  )
}
