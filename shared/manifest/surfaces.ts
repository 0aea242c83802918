/** The public addresses of the platform; web and backend share paths with different shapes, so each has its own. */
export const surfaces = ['web', 'backend', 'summarizer'] as const

export type Surface = (typeof surfaces)[number]
