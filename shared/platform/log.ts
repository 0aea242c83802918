import { embedded, type Metrics } from './metrics.ts'

/** Writes JSON lines to standard output, which Lambda and the local stack collect. */

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

/** A private key has the same form as a transaction's hash; the field's name distinguishes them. */
const keyName = /key|seed|mnemonic/i
const keyValue = /\b(?:0x)?[\da-f]{64}\b/i

/**
 * The maximum length of a text in a line. Messages of errors can repeat the text of a request, and the search for secrets
 * takes quadratic time for some texts.
 */
const longestText = 8192

/**
 * The last characters of a cut text are dropped too: they may be the beginning of a secret, which the search does not
 * recognise.
 */
const droppedEnd = 256

function redactText(text: string): string {
  if (text.length <= longestText) return text.replace(secretValue, '[redacted]')
  return text.slice(0, longestText).replace(secretValue, '[redacted]').slice(0, -droppedEnd)
}

/** Replaces every value that is a secret according to its name or form, and cuts long texts. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth > 6) return '[deep]'
  if (value instanceof Error)
    return {
      name: value.name,
      message: redact(value.message),
      stack: redact(value.stack),
      ...(value instanceof AggregateError && { errors: redact(value.errors, depth + 1) }),
    }
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

/** On Lambda the console is not used, because Lambda prefixes its lines with other text, so that they are not JSON. */
const onLambda = globalThis.process?.env.AWS_LAMBDA_FUNCTION_NAME !== undefined

function print(line: string): void {
  if (onLambda) process.stdout.write(`${line}\n`)
  // The only place that writes to the console; all other code uses a Log.
  // oxlint-disable-next-line no-console
  else console.log(line)
}

/** Creates a log whose lines all contain `base`. */
export function createLog(base: LogFields = {}): Log {
  return {
    info: writer('info', base),
    warn: writer('warn', base),
    error: writer('error', base),
  }
}
