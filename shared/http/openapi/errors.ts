import type { ErrorKind } from '#shared/platform/errors.ts'
import type { ErrorForm } from '../errors.ts'

const text = { type: 'string' }

const textOrNull = { type: ['string', 'null'] }

/** The schemas of the error forms: errors.ts, `errorBody`. */
export const errorSchemas = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: { error: text, code: text },
  },
  OpenAiError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message'],
        properties: { message: text, type: text, code: textOrNull, param: textOrNull },
      },
    },
  },
  AnthropicError: {
    type: 'object',
    required: ['type', 'error'],
    properties: {
      type: { type: 'string', const: 'error' },
      error: {
        type: 'object',
        required: ['type', 'message'],
        properties: { type: text, message: text, code: text },
      },
      request_id: textOrNull,
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error'],
    properties: { error: text, error_description: text },
  },
  JsonRpcError: {
    type: 'object',
    required: ['jsonrpc', 'id', 'error'],
    properties: {
      jsonrpc: { type: 'string', const: '2.0' },
      id: { type: ['string', 'number', 'null'] },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: text },
      },
    },
  },
}

const names: Record<ErrorForm, keyof typeof errorSchemas> = {
  platform: 'Error',
  openai: 'OpenAiError',
  anthropic: 'AnthropicError',
  oauth: 'OAuthError',
  'json-rpc': 'JsonRpcError',
}

/** Returns the schema of a route's error response. */
export function errorSchemaOf(
  { errorForm = 'platform' }: { errorForm?: ErrorForm },
  kind: ErrorKind,
): keyof typeof errorSchemas {
  return errorForm === 'json-rpc' && kind !== 'bad-request' ? 'Error' : names[errorForm]
}
