import type { ErrorKind } from '../../platform/errors.ts'

interface Code {
  kinds: readonly ErrorKind[]
  means: string
}

/** Every error code, with the kinds of errors that have it and its meaning for the caller. */
export const codes = {
  access_denied: { kinds: ['bad-request'], means: 'The user has refused' },
  authorization_pending: { kinds: ['bad-request'], means: 'The user has not answered yet' },
  expired_token: { kinds: ['bad-request'], means: 'The device code is used or too old' },
  invalid_client: {
    kinds: ['bad-request', 'unauthorized'],
    means: 'No client is registered under client_id',
  },
  invalid_client_metadata: { kinds: ['bad-request'], means: 'A client cannot be registered so' },
  invalid_grant: {
    kinds: ['bad-request'],
    means: 'The code or refresh token is unknown, used or too old',
  },
  invalid_redirect_uri: { kinds: ['bad-request'], means: 'A client cannot be answered there' },
  invalid_request: { kinds: ['bad-request'], means: 'A parameter is missing or wrong' },
  invalid_scope: { kinds: ['bad-request'], means: 'There is no such scope, or it was not granted' },
  invalid_target: { kinds: ['bad-request'], means: 'Tokens are for another resource' },
  slow_down: { kinds: ['bad-request'], means: 'The device asks too often' },
  unsupported_grant_type: { kinds: ['bad-request'], means: 'There is no such grant' },
  unsupported_response_type: {
    kinds: ['bad-request'],
    means: 'A program is answered a code alone',
  },
  A2A_LIMIT_REACHED: {
    kinds: ['too-many-requests'],
    means: 'The plan has no more messages between agents for today',
  },
  ADMIN_REQUIRED: { kinds: ['forbidden'], means: 'Only an administrator may do this' },
  AGENT_FAILED: { kinds: ['bad-gateway'], means: 'The agent answered with a failure' },
  AGENT_LIMIT_REACHED: { kinds: ['payment-required'], means: 'The plan has no room for an agent' },
  AGENT_NOT_RUNNING: {
    kinds: ['conflict', 'unavailable'],
    means: 'The agent does not run; start it first',
  },
  AGENT_TIMEOUT: { kinds: ['timeout'], means: 'The agent did not answer in time' },
  AGENT_UNREACHABLE: { kinds: ['bad-gateway'], means: 'The agent could not be reached' },
  AI_INTERRUPTED: { kinds: ['bad-gateway'], means: 'The model’s answer broke off' },
  AI_UNAVAILABLE: { kinds: ['bad-gateway'], means: 'No model could answer' },
  AWAKE_LIMIT_REACHED: {
    kinds: ['payment-required'],
    means: 'As many agents are awake as the plan allows; `awake` names them',
  },
  BOT_DETECTED: { kinds: ['forbidden'], means: 'The request looks like a program’s' },
  TOO_MANY_OPEN: {
    kinds: ['too-many-requests'],
    means: 'The caller has as many of such requests under way as are allowed; end one first',
  },
  BROKER_BUSY: {
    kinds: ['too-many-requests'],
    means:
      'The agents of one owner have as many long uses of broker credentials under way as are allowed',
  },
  BROKER_CREDENTIALS_FULL: {
    kinds: ['bad-request'],
    means: 'The agent’s broker credentials have no room',
  },
  BROKER_HOST_REFUSED: {
    kinds: ['forbidden'],
    means: 'The credential is not for that host, or the host leads to a private address',
  },
  BROKER_TIMEOUT: { kinds: ['timeout'], means: 'The host did not answer in time' },
  BROKER_UNREACHABLE: { kinds: ['bad-gateway'], means: 'The host could not be asked' },
  CANCELLED: { kinds: ['conflict'], means: 'The turn was cancelled' },
  RUN_ENDED: { kinds: ['conflict'], means: 'The run has ended' },
  RUN_UNDER_WAY: { kinds: ['conflict'], means: 'A run of the task is under way' },
  NOT_CANCELLABLE: {
    kinds: ['conflict'],
    means: 'The run cannot be called back: a split, or a video whose order was sent',
  },
  CLIENT_CLOSED_REQUEST: { kinds: ['bad-request'], means: 'The caller left before the answer' },
  CREDENTIALS_FULL: { kinds: ['bad-request'], means: 'The agent’s credentials have no room' },
  CROSS_SITE: { kinds: ['forbidden'], means: 'A page of another site sent the request' },
  CSRF: { kinds: ['forbidden'], means: 'Another site sent the request, without the CSRF token' },
  DELIVERY_FAILED: {
    kinds: ['internal'],
    means: 'The message was accepted, and its delivery is tried again; do not send it again',
  },
  IDEMPOTENCY_ANSWER_TOO_LARGE: {
    kinds: ['conflict'],
    means: 'The request was done, but its answer was too large to be kept',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    kinds: ['conflict'],
    means: 'The first request under this key is still running; try again soon',
  },
  IDEMPOTENCY_KEY_REUSED: { kinds: ['conflict'], means: 'The key was used for another request' },
  IMPORT_LIMIT_REACHED: {
    kinds: ['too-many-requests'],
    means:
      'Imports, duplicates and restores have written the rows of a day; `resetsAt` says when it ends',
  },
  KEY_LIMIT_REACHED: { kinds: ['conflict'], means: 'The user has all the API keys allowed' },
  MEMORY_FULL: { kinds: ['bad-request'], means: 'The agent’s memory has no room' },
  MODEL_NOT_FOUND: { kinds: ['not-found'], means: 'No provider lists the model' },
  MODEL_RESTRICTED: { kinds: ['forbidden'], means: 'The model is not part of the plan' },
  MODEL_UNPRICED: {
    kinds: ['forbidden'],
    means: 'A spend cap is set, and the price of the model is not known',
  },
  PAYMENT_INVALID: { kinds: ['payment-required'], means: 'The payment does not pay for this' },
  PAYMENT_USED: { kinds: ['conflict'], means: 'The payment was used before' },
  PLAN_REQUIRED: { kinds: ['payment-required'], means: 'This takes a plan, or a higher one' },
  PROVISIONING_DISABLED: {
    kinds: ['internal', 'unavailable'],
    means: 'The operator has stopped all changes to agents’ containers',
  },
  QUOTA_EXCEEDED: { kinds: ['too-many-requests'], means: 'The month’s tokens are used up' },
  RESTORE_IN_PROGRESS: {
    kinds: ['conflict'],
    means: 'Another restore of the agent is under way',
  },
  SCOPE_REQUIRED: { kinds: ['forbidden'], means: 'The API key lacks the scope that `scope` names' },
  SENDERS_FULL: { kinds: ['conflict'], means: 'The bot has all the senders allowed' },
  SESSION_REQUIRED: { kinds: ['forbidden'], means: 'This takes a session; a key is not enough' },
  SKILL_DISABLED: { kinds: ['conflict'], means: 'The skill is switched off' },
  SKILL_LIMIT_REACHED: { kinds: ['payment-required'], means: 'The plan has no room for a skill' },
  SKILL_NOT_INSTALLED: { kinds: ['conflict'], means: 'The agent does not have the skill' },
  SOLD_OUT: {
    kinds: ['conflict'],
    means: 'There are fewer tickets left than asked for; `remaining` says how many',
  },
  SPEND_CAP_REACHED: {
    kinds: ['too-many-requests', 'unavailable'],
    means: 'What may be spent in this month is spent',
  },
  STOPPED_BY_OPERATOR: { kinds: ['conflict'], means: 'An operator stopped the agent' },
  SUBSCRIPTION_REQUIRED: { kinds: ['payment-required'], means: 'The subscription is not active' },
  SWARM_LIMIT_REACHED: { kinds: ['conflict'], means: 'The user has all the swarms allowed' },
  SNAPSHOT_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The agent has all the restore points allowed',
  },
  TASK_LIMIT_REACHED: { kinds: ['conflict'], means: 'The user has all the tasks allowed' },
  TICKET_INVALID: { kinds: ['unauthorized'], means: 'The ticket was used, or is too old' },
  UPSTREAM_REJECTED: { kinds: ['bad-request'], means: 'The model’s provider refused the request' },
  VERIFICATION_FAILED: { kinds: ['bad-request'], means: 'The proof does not hold' },
  unknown_plugin: { kinds: ['bad-request'], means: 'There is no such plugin' },
  VIDEO_LIMIT_REACHED: {
    kinds: ['too-many-requests'],
    means: 'The user has all the videos under way that are allowed',
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    kinds: ['conflict'],
    means: 'The user has all the webhook endpoints allowed',
  },
  VerifyFailed: { kinds: ['bad-request'], means: 'The link is not good, or too old' },
} as const satisfies Record<string, Code>

export type ErrorCode = keyof typeof codes

/** The kinds of errors that have a code. */
export function kindsOf(code: ErrorCode): readonly ErrorKind[] {
  return codes[code].kinds
}
