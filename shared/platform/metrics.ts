/**
 * Figures for CloudWatch, in log lines that are written anyway: its embedded metric format, which CloudWatch Logs reads
 * without a call. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */

type Unit = 'Count' | 'Milliseconds' | 'None'

/** What is counted in one line. */
export interface Metrics {
  /**
   * The fields of the line that figures are kept apart by, a list for each way. CloudWatch makes, and charges for, a
   * metric for each combination of their values, so they must have few: never the id of a user, an agent or a request.
   * A way of which the line lacks a field is left out.
   */
  by: readonly (readonly string[])[]
  /** A figure that is undefined is left out. Each has a count of its own: CloudWatch's SampleCount. */
  of: Readonly<Record<string, readonly [value: number | undefined, unit: Unit]>>
}

/** On one machine there is no reader of them. */
const stage = globalThis.process?.env.PLATFORM_STAGE ?? 'local'

/** What a line needs beside its own fields, so that its metrics are read. */
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
