/** The release that agents are made for; agent/openclaw/version.ts says the same. */
export const openclawRelease = '2026.9.6'
