/** One JSON line a fact, on standard output, where Lambda and the local stack both collect it. */

export type LogFields = Record<string, unknown>

export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

const secretName = /authorization|cookie|password|secret|token|api[-_]?key|signature|private/i
const secretValue = /\b(?:sk|ak)_[0-9a-f]{16,}|\bBearer\s+\S+|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g

/** The fields with everything replaced that a name or a form gives away as secret. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(secretValue, '[redacted]')
  if (value === null || typeof value !== 'object') return value
  if (depth > 6) return '[deep]'
  if (value instanceof Error)
    return { name: value.name, message: redact(value.message), stack: redact(value.stack) }
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  const redacted: LogFields = {}
  for (const [name, item] of Object.entries(value)) {
    const secret = typeof item === 'string' && secretName.test(name)
    redacted[name] = secret ? '[redacted]' : redact(item, depth + 1)
  }
  return redacted
}

function write(level: string, base: LogFields, message: string, fields: LogFields): void {
  const line = { level, time: new Date().toISOString(), message, ...base, ...fields }
  print(JSON.stringify(redact(line)))
}

/** Lambda puts words of its own in front of what goes through the console, and a line would be no JSON any more. */
const onLambda = globalThis.process?.env.AWS_LAMBDA_FUNCTION_NAME !== undefined

function print(line: string): void {
  if (onLambda) process.stdout.write(`${line}\n`)
  // The one place that writes to the console: everything else takes a Log.
  // oxlint-disable-next-line no-console
  else console.log(line)
}

/** A log whose every line carries `base`. */
export function createLog(base: LogFields = {}): Log {
  return {
    info: (message, fields = {}) => write('info', base, message, fields),
    warn: (message, fields = {}) => write('warn', base, message, fields),
    error: (message, fields = {}) => write('error', base, message, fields),
  }
}
