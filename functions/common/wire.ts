/** Makes what a job or a tick stands on, once, of the settings that the manifest grants its function. */
export type Wire<Settings, Services = unknown> = (config: Settings) => { services: Services }

export type ServicesOf<W extends Wire<never>> = ReturnType<W>['services']
