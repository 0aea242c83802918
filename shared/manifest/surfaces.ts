/**
 * The public addresses of the platform. Web and backend use the same paths for different resources, so each has its
 * own address.
 */
export const surfaces = ['web', 'backend', 'summarizer'] as const

export type Surface = (typeof surfaces)[number]
