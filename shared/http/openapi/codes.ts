import type { ErrorKind } from '#shared/platform/errors.ts'
import { connectionCodes } from './connection-codes.ts'

interface Code {
  kinds: readonly ErrorKind[]
  means: string
}

/** Every error code, with the kinds of errors that have it and its meaning for the caller. */
export const codes = {
  access_denied: { kinds: ['bad-request'], means: 'The user denied the request' },
  authorization_pending: {
    kinds: ['bad-request'],
    means: 'The user has not answered yet; poll again',
  },
  expired_token: { kinds: ['bad-request'], means: 'The device code was used or has expired' },
  invalid_client: {
    kinds: ['bad-request', 'unauthorized'],
    means: 'No client is registered under client_id',
  },
  invalid_client_metadata: { kinds: ['bad-request'], means: 'The client metadata is invalid' },
  invalid_grant: {
    kinds: ['bad-request'],
    means: 'The code or refresh token is unknown, used or expired',
  },
  invalid_redirect_uri: { kinds: ['bad-request'], means: 'A redirect URI is invalid' },
  invalid_request: { kinds: ['bad-request'], means: 'A parameter is missing or invalid' },
  invalid_scope: { kinds: ['bad-request'], means: 'The scope does not exist, or was not granted' },
  invalid_target: {
    kinds: ['bad-request'],
    means: 'The server issues no tokens for this resource',
  },
  slow_down: { kinds: ['bad-request'], means: 'The device polls too often' },
  unsupported_grant_type: { kinds: ['bad-request'], means: 'The grant type is not supported' },
  unsupported_response_type: {
    kinds: ['bad-request'],
    means: 'Only the response type `code` is supported',
  },
  A2A_LIMIT_REACHED: {
    kinds: ['too-many-requests'],
    means: 'The plan’s messages between agents are used up for today',
  },
  ADMIN_REQUIRED: { kinds: ['forbidden'], means: 'Only an administrator may do this' },
  AGENT_FAILED: { kinds: ['bad-gateway'], means: 'The agent returned an error' },
  AGENT_LIMIT_REACHED: { kinds: ['payment-required'], means: 'The plan allows no further agents' },
  AGENT_NOT_RUNNING: {
    kinds: ['conflict', 'unavailable'],
    means: 'The agent is not running; start it first',
  },
  AGENT_TIMEOUT: { kinds: ['timeout'], means: 'The agent did not answer in time' },
  AGENT_UNREACHABLE: { kinds: ['bad-gateway'], means: 'The agent could not be reached' },
  AI_INTERRUPTED: { kinds: ['bad-gateway'], means: 'The model’s answer was interrupted' },
  AI_UNAVAILABLE: { kinds: ['bad-gateway'], means: 'No model was able to answer' },
  APPROVAL_DECIDED: {
    kinds: ['conflict'],
    means: 'The approval is already decided, or has expired; `state` says which',
  },
  APPROVALS_FULL: {
    kinds: ['too-many-requests'],
    means: 'Too many requests of the agent wait for a decision of its owner',
  },
  ARCHIVE_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'Too many archives of agents are stored; they are removed within two hours',
  },
  AWAKE_LIMIT_REACHED: {
    kinds: ['payment-required'],
    means: 'The plan allows no further awake agents; `awake` lists the current ones',
  },
  CHANNEL_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The agent has reached the limit of channels',
  },
  BOT_DETECTED: { kinds: ['forbidden'], means: 'The request looks automated' },
  MANDATE_EXCEEDED: {
    kinds: ['payment-required'],
    means:
      'The payment exceeds the agent’s mandate; `limit`, `used`, `asked` and `of` name the amounts',
  },
  MANDATE_REFUSED: {
    kinds: ['forbidden'],
    means: 'The agent’s mandate does not allow the payment; `field` is the field that refuses it',
  },
  MANDATE_REQUIRED: {
    kinds: ['payment-required'],
    means: 'The agent has no mandate to pay',
  },
  PAYMENTS_CAP_REACHED: {
    kinds: ['too-many-requests'],
    means: 'All agents together have reached the operator’s limit of payments per day',
  },
  PAYMENT_EXPIRED: {
    kinds: ['conflict'],
    means: 'The payment of this Idempotency-Key has expired; a new request pays again',
  },
  PAYMENT_HOST_REFUSED: {
    kinds: ['forbidden'],
    means: 'Requests to the host are not allowed',
  },
  PAYMENT_HOST_TIMEOUT: {
    kinds: ['timeout'],
    means: 'The host did not answer in time; `paymentId` names a payment that it may have taken',
  },
  PAYMENT_HOST_UNREACHABLE: {
    kinds: ['bad-gateway'],
    means: 'The host could not be reached; `paymentId` names a payment that it may have taken',
  },
  TOO_MANY_OPEN: {
    kinds: ['too-many-requests'],
    means: 'The caller has reached the limit of concurrent requests of this kind; end one first',
  },
  BROKER_BUSY: {
    kinds: ['too-many-requests'],
    means:
      'The owner’s agents have reached the limit of concurrent long requests with broker credentials',
  },
  BROKER_CREDENTIALS_FULL: {
    kinds: ['bad-request'],
    means: 'The agent has reached its limit of broker credentials',
  },
  BROKER_HOST_REFUSED: {
    kinds: ['forbidden'],
    means: 'The credential is not for that host, or the host resolves to a private address',
  },
  ...connectionCodes,
  BROKER_TIMEOUT: { kinds: ['timeout'], means: 'The host did not answer in time' },
  BROKER_UNREACHABLE: { kinds: ['bad-gateway'], means: 'The host could not be reached' },
  CANCELLED: { kinds: ['conflict'], means: 'The turn was cancelled' },
  RUN_ENDED: { kinds: ['conflict'], means: 'The run has ended' },
  RUN_UNDER_WAY: { kinds: ['conflict'], means: 'The task already has an active run' },
  NOT_CANCELLABLE: {
    kinds: ['conflict'],
    means: 'The run cannot be cancelled: a split, or a video whose order was sent',
  },
  CLIENT_CLOSED_REQUEST: {
    kinds: ['bad-request'],
    means: 'The caller disconnected before the response',
  },
  CREDENTIALS_FULL: {
    kinds: ['bad-request'],
    means: 'The agent’s credentials exceed their size limit',
  },
  CROSS_SITE: { kinds: ['forbidden'], means: 'A page of another site sent the request' },
  CSRF: {
    kinds: ['forbidden'],
    means: 'The request comes from another site, without the CSRF token',
  },
  DELIVERY_FAILED: {
    kinds: ['internal'],
    means: 'The message was accepted, and the platform retries its delivery; do not send it again',
  },
  IDEMPOTENCY_ANSWER_TOO_LARGE: {
    kinds: ['conflict'],
    means: 'The request was carried out, but its response was too large to store',
  },
  FILES_CHANGED: {
    kinds: ['conflict'],
    means: 'The agent’s files have another version; read them again',
  },
  FILES_HELD: {
    kinds: ['conflict'],
    means: 'Another container of the agent works on the files',
  },
  FILE_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The agent has reached the limit of files',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    kinds: ['conflict'],
    means: 'The first request with this key is still running; try again soon',
  },
  IDEMPOTENCY_KEY_REUSED: {
    kinds: ['conflict'],
    means: 'The key was used for a different request',
  },
  IMPORT_LIMIT_REACHED: {
    kinds: ['too-many-requests'],
    means:
      'Imports, duplicates and restores have reached the limit of rows per day; `resetsAt` is the end of the day',
  },
  KEY_LIMIT_REACHED: { kinds: ['conflict'], means: 'The user has reached the limit of API keys' },
  MEMORY_FULL: { kinds: ['bad-request'], means: 'The agent’s memory has reached its size limit' },
  MODEL_NOT_FOUND: { kinds: ['not-found'], means: 'No provider lists the model' },
  MODEL_RESTRICTED: {
    kinds: ['forbidden'],
    means: 'The model is not part of the plan, or not a model of the API key',
  },
  MODEL_TOO_EXPENSIVE: {
    kinds: ['bad-request'],
    means:
      'No provider of the model has a price within `maxPriceUsd`; `cheapest` has the lowest price',
  },
  MODEL_UNSUPPORTED: {
    kinds: ['bad-request'],
    means: 'No provider of the model speaks this API, and the request cannot be translated',
  },
  MODEL_UNPRICED: {
    kinds: ['forbidden'],
    means: 'A spend cap is set, and the price of the model is unknown',
  },
  PAYMENT_INVALID: {
    kinds: ['payment-required'],
    means: 'The payment is not valid for this purchase',
  },
  PAYMENT_USED: { kinds: ['conflict'], means: 'The payment was already used' },
  PLAN_REQUIRED: { kinds: ['payment-required'], means: 'This requires a plan, or a higher plan' },
  POLICY_DENIED: {
    kinds: ['forbidden'],
    means: 'The agent’s policy denies this; `action` and `rule` name what denied it',
  },
  PROVISIONING_DISABLED: {
    kinds: ['internal', 'unavailable'],
    means: 'The operator has disabled changes of agents’ containers',
  },
  QUOTA_EXCEEDED: {
    kinds: ['too-many-requests'],
    means: 'The plan’s tokens are used up for this month',
  },
  RATE_LIMITED: {
    kinds: ['too-many-requests'],
    means: 'The API key has reached its limit of requests per minute',
  },
  RESTORE_IN_PROGRESS: {
    kinds: ['conflict'],
    means: 'Another restore of the agent is in progress',
  },
  SCOPE_REQUIRED: { kinds: ['forbidden'], means: 'The API key lacks the scope in `scope`' },
  SENDERS_FULL: { kinds: ['conflict'], means: 'The bot has reached the limit of senders' },
  SESSION_REQUIRED: {
    kinds: ['forbidden'],
    means: 'This requires a session; an API key is not enough',
  },
  SKILL_DISABLED: { kinds: ['conflict'], means: 'The skill is disabled' },
  SKILL_LIMIT_REACHED: { kinds: ['payment-required'], means: 'The plan allows no further skills' },
  SKILL_NOT_INSTALLED: { kinds: ['conflict'], means: 'The skill is not installed' },
  SOLD_OUT: {
    kinds: ['conflict'],
    means: 'Fewer tickets are left than requested; `remaining` is the number left',
  },
  SPEND_CAP_REACHED: {
    kinds: ['too-many-requests', 'unavailable'],
    means: 'A spend cap of this month or day is reached',
  },
  STOPPED_BY_OPERATOR: { kinds: ['conflict'], means: 'An operator stopped the agent' },
  STORAGE_LIMIT_REACHED: {
    kinds: ['payment-required'],
    means:
      'The files of the user’s agents have reached the storage of the plan; `used` and `quota` are bytes',
  },
  SUBSCRIPTION_REQUIRED: { kinds: ['payment-required'], means: 'The subscription is not active' },
  SWARM_LIMIT_REACHED: { kinds: ['conflict'], means: 'The user has reached the limit of swarms' },
  SNAPSHOT_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The agent has reached the limit of restore points',
  },
  TASK_LIMIT_REACHED: { kinds: ['conflict'], means: 'The user has reached the limit of tasks' },
  TICKET_INVALID: { kinds: ['unauthorized'], means: 'The ticket was used or has expired' },
  UPSTREAM_REJECTED: { kinds: ['bad-request'], means: 'The model’s provider refused the request' },
  VERIFICATION_FAILED: { kinds: ['bad-request'], means: 'The proof is not valid' },
  unknown_plugin: { kinds: ['bad-request'], means: 'The plugin does not exist' },
  VIDEO_LIMIT_REACHED: {
    kinds: ['too-many-requests'],
    means: 'The user has reached the limit of concurrent video jobs',
  },
  WALLET_REQUIRED: {
    kinds: ['conflict'],
    means: 'The agent has no wallet; create one and fund it',
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The user has reached the limit of webhook endpoints',
  },
  VerifyFailed: { kinds: ['bad-request'], means: 'The link is not valid, or has expired' },
} as const satisfies Record<string, Code>

export type ErrorCode = keyof typeof codes

/** The kinds of errors that have a code. */
export function kindsOf(code: ErrorCode): readonly ErrorKind[] {
  return codes[code].kinds
}
