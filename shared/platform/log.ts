import { embedded, type Metrics } from './metrics.ts'

/** One JSON line a fact, on standard output, where Lambda and the local stack both collect it. */

export type LogFields = Record<string, unknown>

type Write = (message: string, fields?: LogFields, metrics?: Metrics) => void

export interface Log {
  info: Write
  warn: Write
  error: Write
}

const secretName = /authorization|cookie|password|secret|token|api[-_]?key|signature|private/i
const secretValue =
  /\b(?:sk|ak)_[0-9a-f]{16,}|\b[sr]k_(?:live|test)_\w+|\bsk-[\w-]{20,}|\bwhsec_[\w+/=-]+|\bBearer\s+\S+|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g

/** The form of a private key is that of a transaction's hash, so it takes the name to tell them apart. */
const keyName = /key|seed|mnemonic/i
const keyValue = /\b(?:0x)?[\da-f]{64}\b/i

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
    redacted[name] = isSecret(name, item) ? '[redacted]' : redact(item, depth + 1)
  }
  return redacted
}

function isSecret(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isSecret(name, item))
  if (typeof value !== 'string') return false
  return secretName.test(name) || (keyName.test(name) && keyValue.test(value))
}

function writer(level: string, base: LogFields): Write {
  return (message, fields, metrics) => {
    const line = { level, time: new Date().toISOString(), message, ...base, ...fields }
    print(
      JSON.stringify(
        redact(metrics === undefined ? line : { ...line, ...embedded(metrics, line) }),
      ),
    )
  }
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
    info: writer('info', base),
    warn: writer('warn', base),
    error: writer('error', base),
  }
}
