/**
 * Metrics for CloudWatch in existing log lines: its embedded metric format, which CloudWatch Logs reads without a
 * call.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */

type Unit = 'Count' | 'Milliseconds' | 'None'

/** The metrics of one log line. */
export interface Metrics {
  /**
   * The sets of dimensions, as names of the line's fields. CloudWatch creates, and charges for, a metric for each
   * combination of their values, so they must have few values: never the id of a user, an agent or a request. A set is
   * omitted if the line lacks one of its fields. The metric of an empty set has no dimensions.
   */
  by: readonly (readonly string[])[]
  /** The values by metric. Undefined values are omitted. CloudWatch's SampleCount counts the occurrences of each. */
  of: Readonly<Record<string, readonly [value: number | undefined, unit: Unit]>>
}

/** Undefined on one machine, where metrics are not used. */
const stage = globalThis.process?.env.PLATFORM_STAGE ?? 'local'

/** Returns the fields to add to a log line so that CloudWatch reads its metrics. */
export function embedded(
  { by, of }: Metrics,
  line: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (stage === 'local') return {}
  const figures = Object.entries(of).filter(([, [value]]) => value !== undefined)
  const dimensions = by.filter((fields) => fields.every((field) => isDimension(line[field])))
  return {
    ...Object.fromEntries(figures.map(([name, [value]]) => [name, value])),
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: `AgentPlatform/${stage}`,
          Dimensions: dimensions,
          Metrics: figures.map(([name, [, unit]]) => ({ Name: name, Unit: unit })),
        },
      ],
    },
  }
}

function isDimension(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
