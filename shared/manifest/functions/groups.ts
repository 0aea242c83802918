/** The settings of functions that list or call models. */
export const modelSettings = [
  'AI_BASE_URL',
  'AI_SPEAKS',
  'DEMO_MODELS',
  'PLAN_MODELS',
  'TASK_MODELS',
] as const

/** The settings of functions that take orders for videos. */
export const videoSettings = ['PLAN_SPEND_CAPS_USD', 'VIDEO_API_URL', 'VIDEO_MODEL'] as const

/** The grants of functions that run turns: to wake the agent, to record spans and to send webhooks. */
export const turns = [
  { send: 'provisioning' },
  { send: 'telemetry' },
  { send: 'webhook-deliveries' },
] as const
