export interface Place {
  ip: string;
  city: string;
  region?: string;
  country: string;
  country_ja?: string;
  latitude: number;
  longitude: number;
  time_zone?: string;
  source: string;
}

export interface Weather {
  city: string;
  country?: string;
  temperature_c: number;
  condition: string;
  condition_ja: string;
  humidity: number;
  wind_kmh: number;
  observed_at: string;
  source: string;
}
