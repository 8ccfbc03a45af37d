/** What classes for Hol's der Geier extend. A card is 1 to 15; each may be played once. */
public abstract class HolsDerGeierSpieler {
    private HolsDerGeier table;
    private int opponent;

    void register(HolsDerGeier playedAt, int numberOfOpponent) {
        table = playedAt;
        opponent = numberOfOpponent;
    }

    /** The number by which letzterZug of the table knows the opponent: at larger tables, the one to the left. */
    public int getNummer() {
        return opponent;
    }

    /** The table, which knows everybody's last card. */
    public HolsDerGeier getHdg() {
        return table;
    }

    /** The last card of the opponent; -99 if there is none yet. */
    public int letzterZug() {
        return table.letzterZug(opponent);
    }

    /** A game begins: all cards are there again. */
    public abstract void reset();

    /** The card that you play for this one: 1 to 10 are mice, -5 to -1 vultures. */
    public abstract int gibKarte(int naechsteKarte);
}
