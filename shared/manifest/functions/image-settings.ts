/** The settings that select the agents' image: shared/agents/record/image/platforms.ts. */
export const imageSettings = [
  'AGENT_IMAGE',
  'AGENT_IMAGE_NEXT',
  'AGENT_IMAGE_NEXT_PERCENT',
] as const
