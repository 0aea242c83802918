/** The settings that select the agents' image (shared/agents/record/image/platforms.ts) and describe it. */
export const imageSettings = [
  'AGENT_CHANNELS',
  'AGENT_IMAGE',
  'AGENT_IMAGE_NEXT',
  'AGENT_IMAGE_NEXT_PERCENT',
] as const
