import * as z from 'zod'

/** A text without control characters, as names and values of dimensions must be. */
const text = (longest: number) =>
  z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .max(longest)

const dimensions = z.array(z.array(text(250)).max(30)).min(1)

const metadata = z.strictObject({
  Timestamp: z.int().positive(),
  CloudWatchMetrics: z.array(
    z.strictObject({
      Namespace: text(1024),
      Dimensions: dimensions,
      Metrics: z
        .array(
          z.strictObject({ Name: text(1024), Unit: z.enum(['Count', 'Milliseconds', 'None']) }),
        )
        .max(100),
    }),
  ),
})

/** The metrics that CloudWatch extracts from a line. */
export interface ReadMetrics {
  namespace: string
  /** The dimensions of each dimension set, with their values. */
  dimensions: Record<string, string>[]
  figures: Record<string, number>
}

/**
 * Reads a log line as CloudWatch Logs does, by the rules of its embedded metric format: the metadata is valid, and
 * every name in it is a member of the line's root: text for dimensions, numbers for metrics.
 * @throws ZodError if the line breaks a rule
 */
export function readMetrics(line: Record<string, unknown>): ReadMetrics {
  const { CloudWatchMetrics } = metadata.parse(line._aws)
  const [directive] = CloudWatchMetrics
  if (directive === undefined || CloudWatchMetrics.length > 1)
    throw new Error('the line must have exactly one directive')
  const member = <T>(name: string, schema: z.ZodType<T>) =>
    [name, schema.parse(line[name], { error: () => `${name} is not a member` })] as const
  return {
    namespace: directive.Namespace,
    dimensions: directive.Dimensions.map((names) =>
      Object.fromEntries(names.map((name) => member(name, text(1024)))),
    ),
    figures: Object.fromEntries(directive.Metrics.map(({ Name }) => member(Name, z.number()))),
  }
}
