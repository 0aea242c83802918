/** What functions are told that list or ask models. */
export const modelSettings = ['AI_BASE_URL', 'DEMO_MODELS', 'PLAN_MODELS', 'TASK_MODELS'] as const

/** What the function is told that takes orders of videos. */
export const videoSettings = ['PLAN_SPEND_CAPS_USD', 'VIDEO_API_URL', 'VIDEO_MODEL'] as const

/** What a function sends where an agent answers in it: its waking, its span, and what the turn's end is told by. */
export const turns = [
  { send: 'provisioning' },
  { send: 'telemetry' },
  { send: 'webhook-deliveries' },
] as const
